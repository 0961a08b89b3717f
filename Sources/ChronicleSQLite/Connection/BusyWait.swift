import ChronicleCSQLite

/// SQLite's busy timeout polls after 1, 2, 5, 10, 15, 20, 25 milliseconds and so on
/// (<https://www.sqlite.org/c3ref/busy_timeout.html>), so a writer that another one precedes again and again, for a few
/// milliseconds each time, waits for tens of milliseconds. Frequent polls find the lock free soon after it was released; a
/// poll takes some microseconds.
enum BusyWait {
    static func install(_ handle: OpaquePointer, limit: Int32) {
        _ = sqlite3_busy_handler(
            handle,
            { limit, polls in
                guard Int(polls).waited < Int(bitPattern: limit) else { return 0 }
                _ = sqlite3_sleep(Int(polls).delay)
                return 1
            }, UnsafeMutableRawPointer(bitPattern: Int(limit)))
    }
}

extension Int {
    /// The delay in milliseconds, after this number of polls.
    fileprivate var delay: Int32 { self < 20 ? 1 : self < 60 ? 2 : 5 }
    /// The sum of the delays in milliseconds, before this number of polls.
    fileprivate var waited: Int {
        Swift.min(self, 20) + Swift.max(Swift.min(self, 60) - 20, 0) * 2 + Swift.max(self - 60, 0) * 5
    }
}
