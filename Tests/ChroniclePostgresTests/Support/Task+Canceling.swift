#if Postgres
    import Foundation

    @testable import ChroniclePostgres

    extension Task {
        /// Cancels the task when a query returns rows.
        ///
        /// The query runs on a separate thread, because the task and others may block all threads of Swift's concurrency.
        func cancel(afterRows query: String, _ connection: Connection) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Swift.Result<Void, any Error> {
                            // A pause, to leave the processor to the task.
                            while try connection.run(query).count == 0 {
                                _ = try connection.notifications(milliseconds: 10)
                            }
                            cancel()
                        })
                }
            }
        }
    }
#endif
