package dev.assay.contract;

/** The whole of what Assay needs of the API, but for the rules of its kinds and for kubectl. */
public interface ApiContract
    extends CreateContract,
        UpdateContract,
        PatchContract,
        ListContract,
        WatchContract,
        DeletionContract,
        RequestContract {}
