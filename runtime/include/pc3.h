/* pc3: portable checkpoints for C programs.  With a compiler other than pc3cc all of this is empty. */
#ifndef PC3_H
#define PC3_H

#ifdef __cplusplus
extern "C" {
#endif

/* Events for pc3_on. */
#define PC3_BEFORE 1   /* a checkpoint is about to be taken */
#define PC3_CONTINUE 2 /* it was taken; the program goes on in the same process */
#define PC3_RESTART 4  /* the program continues from a checkpoint, possibly elsewhere */

#ifdef __PC3__

/* A place where a checkpoint may be taken; the same as #pragma pc3 checkpoint. */
void pc3_checkpoint(void);

/* No checkpoint is taken between these two; they nest. */
void pc3_critical_begin(void);
void pc3_critical_end(void);

/* Calls callback(event, context) at each of the events, per rank, in the order of registration.
   Registrations are part of a checkpoint. */
void pc3_on(int events, void (*callback)(int event, void *context), void *context);

#else

#define pc3_checkpoint() ((void)0)
#define pc3_critical_begin() ((void)0)
#define pc3_critical_end() ((void)0)
#define pc3_on(events, callback, context) ((void)(events), (void)(callback), (void)(context))

#endif

#ifdef __cplusplus
}
#endif
#endif
