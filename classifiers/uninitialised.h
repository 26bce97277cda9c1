/* uninitialised.h - an attribute for working memory that is written before it is read.
 *
 * The build flags make the compiler zero uninitialised variables. For kilobytes in a function that reads one
 * sentence, zeroing takes longer than the work. */
#ifndef FILTERD_CLASSIFIERS_UNINITIALISED_H
#define FILTERD_CLASSIFIERS_UNINITIALISED_H

#if defined(__has_attribute) && __has_attribute(uninitialized)
#define LEFT_AS_IT_IS __attribute__((uninitialized))
#else
#define LEFT_AS_IT_IS
#endif

#endif
