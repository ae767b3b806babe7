/** The HTTP endpoints of the operator: the internal one for the front end, and health. */
@NullMarked
package dev.assay.operator.endpoint;

import org.jspecify.annotations.NullMarked;
