package dev.assay.operator.upload;

/**
 * Which upload is meant.
 *
 * @param namespace of the dataset
 * @param datasetUid of the dataset
 * @param id as the dataset's source has it
 */
public record UploadKey(String namespace, String datasetUid, String id) {}
