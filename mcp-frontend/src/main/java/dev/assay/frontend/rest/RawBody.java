package dev.assay.frontend.rest;

import dev.assay.frontend.call.Cancellation;
import java.io.InputStream;
import java.util.Optional;

/**
 * A body that is passed on as it comes.
 *
 * @param mediaType what it is said to be, in lower case and without parameters; empty where nothing
 *     is said
 * @param charset what its text is said to be written in; empty where nothing is said
 * @param encoding how it is said to be compressed, in lower case
 * @param bytes how many there are; negative where that is not said
 * @param stream the bytes; a caller who asked for it learns only at the first read that they are
 *     wanted
 * @param cancellation cancelled if the client is known to have disconnected before the first read
 */
public record RawBody(
    String mediaType,
    Optional<String> charset,
    Optional<String> encoding,
    long bytes,
    InputStream stream,
    Cancellation cancellation) {}
