"""Columns of the sets that OpenML has, as the files name them."""

_WRITTEN = {
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
COLUMNS = {name: words.split() for name, words in _WRITTEN.items()} | _NUMBERED
"""Name of a set to the names of its features, in order."""
