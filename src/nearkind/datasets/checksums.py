"""What is inside the known files: sha256 of their text, before compression."""

CHECKSUMS = {
    "adult": "8707a596248538209a24abcbc41e219adb503f70581f56a2e6200c5606dfe974",
    "audiology": "8b677f378f9fd089477cd430f1117a0718477ce577819c311d19f3830e6a684e",
    "balance": "ef70fa31a682a11bad412c262dd2d8b3ea3a53f0f127b8b1ce87a0ad8fb9450b",
    "car": "0023b86e0dd3502aaa0e4a610ef4d8aebbba7ff40f53fa7c2f0543c68bee5114",
    "census": "6f9e661fb1eee400181d2d8c221c79be7fdf3bb1e819307c323f9be409ebca6a",
    "connect4": "56a4a9aba8c73e8b4eb1f4a912504e43e159bf881604c856ef67137684bae0a7",
    "dna_nominal": "0363e7f68c9e0773e6fd6bba48a6004da82a9e227da7e2e11078b22397ef2e12",
    "dna_promoter": "3485069d51dc841ecd18100e7c2ab4b86547a6499406eb5aef006826afe0d452",
    "housevotes": "6750acdb93ab100251245f91cfe6b5decdc037cd3490f70727892adf2bc21543",
    "krkopt": "540e0da0f968ba099e0b6ca2ae949ab74b9e34f7d7b4cbd29315b0e5e032747d",
    "krvskp": "a3e5eee1290e27fef745dcb1b98c42e300476271b1a352a06961d211588543a5",
    "led24": "0f16d07174c759bf89e3024f8c78429e9d673ba56e04be4bc3719a7a06db9702",
    "lymphography": "f95264d8c0cd2f8da6a5c6ad71171116e7ba11766def18e1f426b36c5734e075",
    "monks1": "295ca9ecd961ba47a67a05084874a05376e5954133a505e482d33d277f6b8024",
    "monks1_train": "549ce364a4f28517dd847e903684471d8e934c9a30407d19e178ca386915ba58",
    "monks2": "56cfa62c7b005c4c75e52fc20c9e305417af7f53e14a83e8c71126d147dbce2b",
    "monks2_train": "d1a15319e23021f6f109356c1f58b194660f77d17d3a6afd43087af50b18bb64",
    "monks3": "74c030fa56367dc9521fc3b8126d604baf65228dfe59ec596a9117a4a0076ef9",
    "monks3_train": "f07502dd79b020bd9de0d419ec1974eb00cfb999a49e394f08332bfca4bb12f1",
    "mushroom": "6e79872008a7126a3073495aef1177bc5aae09e94002f6cbb9b6ae14d02059ba",
    "nursery": "cfd50f92b8b65b8d398670ce13f1e78fbc0d452ff26906de8b4497f909716951",
    "soybean_large": "0ffe795351f1fde441f4583311f6f162355d99a00ddeb3cf2f91074b42b763b7",
    "soybean_large_test": (
        "355402fd97d030c688c8620dddffe09bb0a3790864c263af9faf764e58abdf7e"
    ),
    "spect": "e065a0ca7351181f54dd992e3b5a824f568d39d24761bccd4f3bc3bcc9796bc7",
    "splice": "7dbfc6a69e3f859d050712086306cfb1cb8aa44f1a1f9f1722799125ca632fed",
    "tic_tac_toe": "0b2ceb1c8cb0b062bc273e91f3130ba13dd8a7813b9728fc883e166ba4fbafb5",
    "voting": "bded75e448017d274ba143002aed47321192acc4f786a0f2646fba363f20a226",
    "zoo": "647902b72ee83f89c2844b0d462e232bcc733eecf24a46543474dc52e1ab73d4",
}
"""Name of a file without its ending to the checksum of the copy that was tested.

Of the text rather than of the compressed bytes, which differ from one compressor to the
next. Files beyond the catalogue are the published training and test samples.
"""
