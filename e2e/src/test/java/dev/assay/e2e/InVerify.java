package dev.assay.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A scenario that every change must pass, and that every {@code ./mvnw verify} runs in local mode:
 * one of each tool is enough.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("core")
@Tag("local")
@ExtendWith(AssayExtension.class)
@interface InVerify {}
