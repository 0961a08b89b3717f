/// The system's calls for files below one directory: counted, recorded, failed, or interrupted.
///
/// The functions of this target replace those of the C library for the whole program, including SQLite and Foundation,
/// because a program's functions take precedence over those of shared libraries. Nothing has to be preloaded, and a store
/// need not be changed. Only Linux is supported.
#ifndef CHRONICLE_FAULT_SHIM_H
#define CHRONICLE_FAULT_SHIM_H

#include <stdint.h>

/// A kind of call. `FAULT_CHANGE` is any of the calls that change files: write, sync, truncate, remove.
enum {
    FAULT_OPEN, FAULT_READ, FAULT_WRITE, FAULT_SYNC, FAULT_TRUNCATE, FAULT_REMOVE, FAULT_LOCK, FAULT_MAP, FAULT_STAT,
    FAULT_MEMORY, FAULT_CHANGE, FAULT_KINDS
};

/// What happens at the call with a number: it fails; it and all later ones of its kind fail; half of it is done and the next
/// one fails; or half of it is done and the process is killed.
enum { FAULT_ONCE, FAULT_ALWAYS, FAULT_HALF, FAULT_KILL };

/// What a process reports, in memory that it shares with the process that started it: the numbers of steps that began and
/// were acknowledged, whether a call failed, whether the operation threw an error, and the numbers of its cases.
typedef struct {
    int32_t begun, acknowledged, fired, threw;
    int64_t number, runs, lost, invalid;
    int64_t calls[FAULT_KINDS];
} fault_report;

/// A recorded call. `name` and `other` are relative to the directory. A mark has the numbers of begun and acknowledged steps
/// in `offset` and `length`.
enum { FAULT_CREATED, FAULT_FOUND, FAULT_WRITTEN, FAULT_TRUNCATED, FAULT_SYNCED, FAULT_REMOVED, FAULT_RENAMED,
       FAULT_DIRECTORY_SYNCED, FAULT_MARK };
typedef struct {
    int32_t type, file;
    int64_t offset, length;
    const uint8_t *data;
    const char *name, *other;
} fault_event;

/// Replaces SQLite's memory allocation. Returns 0 if the calls of this process cannot be intercepted.
int fault_install(void);
fault_report *fault_share(void);
static inline int64_t fault_calls(const fault_report *report, int kind) { return report->calls[kind]; }

/// Begins to count the calls for files below a directory, with one of them failing; a number of 0 is no call.
void fault_arm(const char *directory, fault_report *report, int kind, int64_t number, int error, int mode);
/// Begins to record the calls as well. Syncs then return immediately.
void fault_record(void);
void fault_mark(int begun, int acknowledged);
/// Ends counting, failing and recording.
void fault_disarm(void);
const fault_event *fault_events(int64_t *count);

/// Continues in a new process and returns 0 there. The process is killed after some seconds.
int fault_fork(unsigned seconds);
/// Lets the process live for some more seconds.
void fault_extend(unsigned seconds);
/// Waits for a process. Returns the signal that ended it, or 0.
int fault_wait(int process);
void fault_exit(int code);

int fault_write_file(const char *path, const void *bytes, int64_t count);
uint64_t fault_hash(const void *bytes, int64_t count, uint64_t seed);

#endif
