import Foundation
import Synchronization

extension ModelContext {
    /// In a debug build, ends the program if the context belongs to an actor and the caller is not on that actor.
    func checkIsolation() {
        #if DEBUG
            ownership?.check()
        #endif
    }
}

#if DEBUG
    /// Determines the threads that may use the context of an executor.
    final class ContextOwnership: Sendable {
        private enum Owner {
            /// The code that created the executor, or that uses the context after the executor was released.
            case caller
            /// The executor, with the thread of its current job; `nil` between jobs.
            case executor(ObjectIdentifier?)
        }

        private let owner = Mutex(Owner.caller)

        /// Transfers the context to the executor when a job is enqueued.
        func beginJobs() {
            owner.withLock { if case .caller = $0 { $0 = .executor(nil) } }
        }

        /// Returns the context to the caller when the executor is released.
        func endJobs() {
            owner.withLock { $0 = .caller }
        }

        /// Runs a job of the executor and allows its thread to use the context meanwhile.
        func isolating(_ job: () -> Void) {
            setThread(ObjectIdentifier(Thread.current))
            job()
            setThread(nil)
        }

        private func setThread(_ thread: ObjectIdentifier?) {
            // The executor may be released shortly before its last job returns.
            owner.withLock { if case .executor = $0 { $0 = .executor(thread) } }
        }

        /// Ends the program if the current thread may not use the context.
        ///
        /// This compares threads and not queues, because a job may call `sync` of another queue, which runs its block
        /// on the thread of the job.
        func check() {
            let thread = ObjectIdentifier(Thread.current)
            let isAllowed = owner.withLock { owner in
                switch owner {
                case .caller: true
                case .executor(let running): running == thread
                }
            }
            guard !isAllowed else { return }
            // Debug builds only: concurrent use of the context would corrupt its state.
            fatalError(
                """
                The ModelContext of a ModelActor was used outside of the actor, which may use it at the same time. \
                Call a method of the actor instead of using its modelExecutor.modelContext or its models.
                """)
        }
    }
#endif
