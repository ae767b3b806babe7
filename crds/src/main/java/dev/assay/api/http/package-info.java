/** What the programs share of HTTP: clients that add to the JDK's, and the port of the probes. */
@NullMarked
package dev.assay.api.http;

import org.jspecify.annotations.NullMarked;
