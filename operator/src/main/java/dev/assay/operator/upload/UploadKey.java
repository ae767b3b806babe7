package dev.assay.operator.upload;

/**
 * Identifies an upload.
 *
 * @param namespace of the dataset
 * @param datasetUid of the dataset
 * @param id the upload id in the dataset's source
 */
public record UploadKey(String namespace, String datasetUid, String id) {}
