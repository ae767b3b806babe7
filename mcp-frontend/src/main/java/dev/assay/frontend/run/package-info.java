/** From a run's creation to the text of its reply. */
@NullMarked
package dev.assay.frontend.run;

import org.jspecify.annotations.NullMarked;
