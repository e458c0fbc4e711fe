"""The catalogue of built-in data sets: descriptions, citations, columns, checksums."""

from typing import NamedTuple

UNCHECKED = "terms of the UCI Machine Learning Repository; not checked by nearkind"
COMPUTED = "computed by nearkind from a published rule, no file is copied"


class Entry(NamedTuple):
    """Size of a set, one line on what it is, and whose it is."""

    n_samples: int
    n_features: int
    n_classes: int
    about: str
    citation: str
    licence: str = UNCHECKED


_MONKS = "Thrun et al. (1991), The MONK's Problems, CMU-CS-91-197"
_SPLICE = "Towell, Noordewier and Shavlik (1991), Splice-junction Gene Sequences, UCI"
_VOTING = "Schlimmer (1987), Congressional Voting Records of 1984, UCI"

CATALOGUE = {
    "adult": Entry(
        *(48842, 14, 2),
        "UCI Adult, training rows then test rows",
        "Becker and Kohavi (1996), Adult, UCI",
    ),
    "audiology": Entry(
        *(226, 69, 24),
        "UCI Audiology (standardized)",
        "Jergen and Quinlan (1992), Audiology (Standardized), UCI",
    ),
    "balance": Entry(
        *(625, 4, 3),
        "UCI Balance Scale",
        "Siegler (1976) and Hume (1994), Balance Scale, UCI",
        COMPUTED,
    ),
    "car": Entry(
        *(1728, 6, 4), "UCI Car Evaluation", "Bohanec (1997), Car Evaluation, UCI"
    ),
    "census": Entry(
        *(299285, 41, 2),
        "UCI Census-Income (KDD)",
        "Lane and Kohavi (2000), Census-Income (KDD), UCI",
    ),
    "connect4": Entry(
        *(67557, 42, 3),
        "UCI Connect-4, positions after eight moves",
        "Tromp (1995), Connect-4, UCI",
    ),
    "credit_risk": Entry(
        *(6, 3, 3),
        "the six persons of the CPML paper",
        "Fan and Gaussier (2022), Supervised Categorical Metric Learning with Schatten "
        "p-Norms, IEEE Trans. Cybernetics 52(4)",
        "a worked example printed in that paper",
    ),
    "dna_nominal": Entry(
        *(3186, 60, 3),
        "StatLog DNA, decoded to letters",
        f"{_SPLICE}; Michie, Spiegelhalter and Taylor (1994), Machine Learning, Neural "
        "and Statistical Classification",
    ),
    "dna_promoter": Entry(
        *(106, 57, 2),
        "UCI Promoter Gene Sequences",
        "Harley, Reynolds and Noordewier (1990), Promoter Gene Sequences, UCI",
    ),
    "housevotes": Entry(
        *(232, 16, 2), "UCI Congressional Voting, complete rows only", _VOTING
    ),
    "krkopt": Entry(
        *(28056, 6, 18),
        "UCI Chess, king and rook against king",
        "Bain and Hoff (1994), Chess (King-Rook vs. King), UCI",
        COMPUTED,
    ),
    "krvskp": Entry(
        *(3196, 36, 2),
        "UCI Chess, king and rook against king and pawn",
        "Shapiro (1989), Chess (King-Rook vs. King-Pawn), UCI",
    ),
    "led24": Entry(
        *(3200, 24, 10),
        "UCI LED Display with 17 irrelevant bits",
        "Breiman, Friedman, Olshen and Stone (1984), Classification and Regression "
        "Trees",
    ),
    "lymphography": Entry(
        *(148, 18, 4),
        "UCI Lymphography",
        "Zwitter and Soklic (1988), Lymphography, UCI",
    ),
    "monks1": Entry(432, 6, 2, "UCI Monk's problem 1", _MONKS, COMPUTED),
    "monks2": Entry(432, 6, 2, "UCI Monk's problem 2", _MONKS, COMPUTED),
    "monks3": Entry(
        *(432, 6, 2), "UCI Monk's problem 3, without noise", _MONKS, COMPUTED
    ),
    "mushroom": Entry(
        *(8124, 22, 2), "UCI Mushroom", "Schlimmer (1987), Mushroom, UCI"
    ),
    "nursery": Entry(*(12960, 8, 5), "UCI Nursery", "Rajkovic (1997), Nursery, UCI"),
    "soybean_large": Entry(
        *(307, 35, 19),
        "UCI Soybean (Large), training file",
        "Michalski and Chilausky (1980), Soybean (Large), UCI",
    ),
    "spect": Entry(
        *(267, 22, 2),
        "UCI SPECT Heart, training rows then test rows",
        "Cios, Kurgan and Goodenday (2001), SPECT Heart, UCI",
    ),
    "splice": Entry(3190, 60, 3, "UCI Splice-junction Gene Sequences", _SPLICE),
    "tic_tac_toe": Entry(
        *(958, 9, 2),
        "UCI Tic-Tac-Toe Endgame",
        "Aha (1991), Tic-Tac-Toe Endgame, UCI",
        COMPUTED,
    ),
    "voting": Entry(435, 16, 2, "UCI Congressional Voting Records, 1984", _VOTING),
    "zoo": Entry(
        *(101, 16, 7),
        "UCI Zoo, without the animal's name",
        "Forsyth (1990), Zoo, UCI",
    ),
}
"""The sets that nearkind knows by name; sizes are counted, not quoted."""

_NAMED = {
    "adult": (
        "age workclass fnlwgt education education-num marital-status occupation "
        "relationship race sex capital-gain capital-loss hours-per-week "
        "native-country"
    ),
    "audiology": (
        "age_gt_60 air airBoneGap ar_c ar_u bone boneAbnormal bser history_buzzing "
        "history_dizziness history_fluctuating history_fullness history_heredity "
        "history_nausea history_noise history_recruitment history_ringing "
        "history_roaring history_vomiting late_wave_poor m_at_2k m_cond_lt_1k "
        "m_gt_1k m_m_gt_2k m_m_sn m_m_sn_gt_1k m_m_sn_gt_2k m_m_sn_gt_500 "
        "m_p_sn_gt_2k m_s_gt_500 m_s_sn m_s_sn_gt_1k m_s_sn_gt_2k m_s_sn_gt_3k "
        "m_s_sn_gt_4k m_sn_2_3k m_sn_gt_1k m_sn_gt_2k m_sn_gt_3k m_sn_gt_4k "
        "m_sn_gt_500 m_sn_gt_6k m_sn_lt_1k m_sn_lt_2k m_sn_lt_3k middle_wave_poor "
        "mod_gt_4k mod_mixed mod_s_mixed mod_s_sn_gt_500 mod_sn mod_sn_gt_1k "
        "mod_sn_gt_2k mod_sn_gt_3k mod_sn_gt_4k mod_sn_gt_500 notch_4k notch_at_4k "
        "o_ar_c o_ar_u s_sn_gt_1k s_sn_gt_2k s_sn_gt_4k speech static_normal tymp "
        "viith_nerve_signs wave_V_delayed waveform_ItoV_prolonged"
    ),
    "car": "buying maint doors persons lug_boot safety",
    "census": (
        "age class_of_worker detailed_industry_recode detailed_occupation_recode "
        "education wage_per_hour enroll_in_edu_inst_last_wk marital_stat "
        "major_industry_code major_occupation_code race hispanic_origin sex "
        "member_of_a_labor_union reason_for_unemployment "
        "full_or_part_time_employment_stat capital_gains capital_losses "
        "dividends_from_stocks tax_filer_stat region_of_previous_residence "
        "state_of_previous_residence detailed_household_and_family_stat "
        "detailed_household_summary_in_household instance_weight "
        "migration_code_change_in_msa migration_code_change_in_reg "
        "migration_code_move_within_reg live_in_this_house_1_year_ago "
        "migration_prev_res_in_sunbelt num_persons_worked_for_employer "
        "family_members_under_18 country_of_birth_father country_of_birth_mother "
        "country_of_birth_self citizenship own_business_or_self_employed "
        "fill_inc_questionnaire_for_veterans_admin veterans_benefits "
        "weeks_worked_in_year year"
    ),
    "krvskp": (
        "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp "
        "dwipd hdchk katri mulch qxmsq r2ar8 reskd reskr rimmx rkxwp rxmsq simpl "
        "skach skewr skrxp spcop stlmt thrsk wkcti wkna8 wknck wkovl wkpos wtoeg"
    ),
    "lymphography": (
        "lymphatics block_of_affere bl_of_lymph_c bl_of_lymph_s by_pass "
        "extravasates regeneration_of early_uptake_in lym_nodes_dimin "
        "lym_nodes_enlar changes_in_lym defect_in_node changes_in_node "
        "changes_in_stru special_forms dislocation_of exclusion_of_no "
        "no_of_nodes_in"
    ),
    "mushroom": (
        "cap-shape cap-surface cap-color bruises? odor gill-attachment gill-spacing "
        "gill-size gill-color stalk-shape stalk-root stalk-surface-above-ring "
        "stalk-surface-below-ring stalk-color-above-ring stalk-color-below-ring "
        "veil-type veil-color ring-number ring-type spore-print-color population "
        "habitat"
    ),
    "nursery": "parents has_nurs form children housing finance social health",
    "soybean_large": (
        "date plant-stand precip temp hail crop-hist area-damaged severity seed-tmt "
        "germination plant-growth leaves leafspots-halo leafspots-marg "
        "leafspot-size leaf-shread leaf-malf leaf-mild stem lodging stem-cankers "
        "canker-lesion fruiting-bodies external-decay mycelium int-discolor "
        "sclerotia fruit-pods fruit-spots seed mold-growth seed-discolor seed-size "
        "shriveling roots"
    ),
    "voting": (
        "handicapped-infants water-project-cost-sharing "
        "adoption-of-the-budget-resolution physician-fee-freeze el-salvador-aid "
        "religious-groups-in-schools anti-satellite-test-ban "
        "aid-to-nicaraguan-contras mx-missile immigration "
        "synfuels-corporation-cutback education-spending superfund-right-to-sue "
        "crime duty-free-exports export-administration-act-south-africa"
    ),
    "zoo": (
        "hair feathers eggs milk airborne aquatic predator toothed backbone "
        "breathes venomous fins legs tail domestic catsize"
    ),
}
_NUMBERED = {
    "connect4": [f"{file}{rank}" for file in "abcdefg" for rank in range(1, 7)],
    "dna_promoter": [f"p{i}" for i in range(-50, 8) if i],
    "spect": [f"F{i}" for i in range(1, 23)],
    "splice": [f"p{i}" for i in range(-30, 31) if i],
}
COLUMNS = {name: words.split() for name, words in _NAMED.items()} | _NUMBERED
"""Name of a set that OpenML has to its features, as the files name them, in order."""

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
"""Name of a file without its ending to the sha256 of the copy that was tested.

Of the text rather than of the compressed bytes, which differ from one compressor to the
next. Files beyond the catalogue are the published training and test samples.
"""
