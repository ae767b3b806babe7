/** What the operator serves: the internal endpoint of the front end, and its health. */
@NullMarked
package dev.assay.operator.endpoint;

import org.jspecify.annotations.NullMarked;
