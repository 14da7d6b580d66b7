'use strict';
// A run that is over: its data stands in the page.

// The end of the last goal in which there is something to see, if little was done after it.
function showWorthALook({ model, clock }) {
  const { goals } = model.data;
  const telling = goals.findLast((goal) => !goal.trivial);
  if (telling && telling !== goals[goals.length - 1]) clock.show(model.endOf(telling));
}

chooseFromBrowser();
const reportStage = new Stage(document.getElementById('stage'), JSON.parse(document.getElementById('stage-data').textContent));
reportStage.build();
showWorthALook(reportStage);
showMomentOfAddress(reportStage.clock);
document.documentElement.dataset.ready = 'yes';
