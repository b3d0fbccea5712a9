"""What people who live in the streets told the works department, house by house, in the survey of March 2026."""

from __future__ import annotations

REMARKS: dict[str, list[str]] = {
    "Tannery Row": [
        "No 6: the tannery's lime pits are still under the yard wall; when the sewer was laid in 1988 the trench "
        "stank for a month.",
        "No 19, top floor: 31 degrees in the bedroom at midnight on 17 July, measured with the baby's thermometer.",
        "No 24 (bakery): deliveries at 4 in the morning, please leave the two places before the door.",
    ],
    "Copper Lane": [
        "No 3: the gas people have opened the same patch four times since 2021.",
        "No 11: the lane is so narrow that the dust cart folds its mirrors. Where would a tree stand?",
        "No 15: we put out pots with figs; the council took them away on 2 May. Give us something that may stay.",
    ],
    "Station Parade": [
        "Hotel, No 2: coaches need 4.10 m under the crowns on the north side.",
        "Kiosk: the paving is so hot that the ice delivery slides off its pallet. Not a joke.",
        "No 31: the old planes were felled for the tram in 1996, and we were promised others.",
    ],
    "Mill Street": [
        "No 8: the mill leat runs under the pavement from No 4 to No 22, the lid is a metre down.",
        "No 40: lorries mount the kerb at the corner with Ferry Street; any young tree there will not live a year.",
    ],
    "Weavers' Walk": [
        "No 2: the whole walk has been without cars since 2009. You could dig tomorrow.",
        "No 7: weavers' cellars reach two metres under the paving in front of 5, 7 and 9.",
        "No 12: grandmother (91) sits in the doorway of the chapel all July because it is the only cool stone.",
    ],
    "Bishop's Rise": [
        "No 1: we have our shade. Give the trees to Saltergate.",
        "No 14: roots of the lime before No 12 have lifted the steps by 9 cm.",
    ],
    "Ferry Street": [
        "No 5: floods at spring tide reached the second step in 2014 and 2023; no species that hates wet feet.",
        "No 28: the bus turns here every 12 minutes until 11 at night.",
    ],
    "Market Hill": [
        "Market master: Tuesday and Saturday the square needs all of its 38 stalls; pits only along the church wall.",
        "No 9: the stones of the hill are protected (list B, 1974). Light paving will need the monument office.",
    ],
    "Lantern Street": [
        "No 10: from June the street keeps its heat till 3 in the night. We sleep in the stairwell.",
        "No 33 (school of music): windows have to stay shut for the neighbours; 34 degrees in the practice rooms on "
        "16 July.",
        "No 50: fibre was laid on the west side in 2025, grey ducts, 60 cm down.",
    ],
    "Orchard Road": [
        "No 70: leave the old pear at No 66 alone, it is the last of the orchard.",
        "No 12: enough shade, too little parking.",
    ],
    "Harrow Road": [
        "No 101: line 4 squeals in the bend; trees would at least hide it.",
        "No 55: four rowans planted in 2019 all died in the summer of 2020, nobody watered them.",
    ],
    "Quay Street": [
        "Harbour café: wind from the water until noon, then none, and the quay wall glows.",
        "No 3: the anchors of the quay wall lie every 6 m, 1.8 m deep; the port authority has the drawing (QW-7).",
    ],
    "Saltergate": [
        "No 4: my mother's home help came three times a day in the heat week. This street is old people and tarmac.",
        "No 16: gas main right under the kerb, you can smell it when they open the lid at No 18.",
        "No 21: we would give up all 18 parking places. Signed by 41 households.",
    ],
    "Chandler's Yard": [
        "No 1: it is a yard, not a street, seven metres wide. One tree in the middle would change everything.",
        "No 6: the fire brigade needs 3.5 m clear; the line is painted.",
    ],
    "Foundry Street": [
        "No 12: slag under the paving, black and hard as glass, from the foundry. Ask them what digging cost in 2011.",
        "No 44: the gas main here is the same that runs on into Copper Lane.",
        "No 60: we want light tarmac more than trees, the slag kills everything.",
    ],
    "Linden Avenue": ["No 20: the limes drip on the cars from June to August. No more of those over parking, please."],
    "Priory Close": ["No 5: it is the coolest street of the old town. Thank the monks."],
    "Kiln Lane": [
        "School, No 14: 212 children and not one tree in sight of the yard. The alderman promised on 3 March.",
        "No 9: the kiln's vault is under the lane between 7 and 13, marked on the 1891 map.",
        "No 27: the fountain was turned off in 2017 to save water.",
    ],
    "Glover's Row": [
        "No 8: the steps of the almshouse are full from noon on, it is the only side with shade.",
        "No 15: 33 of us are over seventy. We counted.",
    ],
    "Brewhouse Lane": [
        "No 2: the brewery's cold pipe runs under the north side, out of use since 1999, asbestos lagging.",
        "No 18: please keep the corner with Mill Street open for the ambulance.",
    ],
    "Northbank Terrace": [
        "No 39: stairwell 29 degrees at six in the morning.",
        "No 12: the terrace faces south-west; at five in the afternoon one cannot touch the railings.",
    ],
    "Union Street": [
        "No 7: tram wires, lamp wires, Christmas wires. Something low, then.",
        "No 88: three people were carried out of No 88 in July.",
        "No 41: shop awnings reach 2.2 m into the pavement.",
    ],
    "Wharf Road": ["No 5: nobody lives on the east side, it is all sheds. Who would sit under the trees?"],
    "Elm Crescent": ["No 11: the elms went in 1978, the name stayed. Hop hornbeams are doing well at No 30."],
}
"""By street; each remark stands in that street's dossier."""
