"""A forest with the schema and the habits of the public implementation's files, made here."""

from __future__ import annotations

HEAD = """graph [
  node [
    id 0
    label "drone_0"
    position [
      x 0.0
      y 0.0
      z -1.5
    ]
    yaw 0.0
    type "drone"
    level 0
  ]
  node [
    id 1
    label "drone_1"
    position "[0.4 0.2 -1.2]"
    type "drone"
    level 0
  ]
  node [
    id 2
    label "chair_1"
    position "(1.0, 2.0, 0.0)"
    type "object"
    level "0"
    box2D [
      min [
        x 436.0
        y 298.0
      ]
      max [
        x 672.0
        y 720.0
      ]
    ]
  ]
  node [
    id 3
    label "desk_1"
    position [
      x "2.5"
      y "2.0"
      z "0"
    ]
    type "object"
    caption "a desk &#38; a lamp"
    timestamp "12.5"
    level 1
  ]
  node [
    id 4
    label "area_1_cluster_7"
    type "cluster"
    level 1
    position [
      x 1.75
      y 2.0
      z 0.0
    ]
    name "desk_area"
    summary "Where somebody works."
  ]
"""
EDGES = """  edge [
    source 2
    target 4
    relationship "part_of"
  ]
  edge [
    source 4
    target 3
    relationship "part_of"
  ]
  edge [
    source 2
    target 3
    relationship "east"
    type "spatial"
    cardinal_direction "east"
    distance 1.5
  ]
  edge [
    source 2
    target 3
    relationship "near"
  ]
  edge [
    source 0
    target 1
    distance 0.5
    type "drone_path"
  ]
]
"""
PUBLIC_FOREST = HEAD + EDGES
