'use strict';
// A run that is over: its data stands in the page.

chooseFromBrowser();
const reportStage = new Stage(document.getElementById('stage'), JSON.parse(document.getElementById('stage-data').textContent));
reportStage.build();
showMomentOfAddress(reportStage.clock);
document.documentElement.dataset.ready = 'yes';
