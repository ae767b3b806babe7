package dev.assay.contract;

/** Everything that Assay requires of the API, except the rules of its kinds and kubectl. */
public interface ApiContract
    extends CreateContract,
        UpdateContract,
        PatchContract,
        ListContract,
        WatchContract,
        DeletionContract,
        RequestContract {}
