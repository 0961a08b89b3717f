import Foundation
import Synchronization

extension ModelContext {
    /// In a debug build, stops the program when the context belongs to an actor and the caller does not.
    func checkIsolation() {
        #if DEBUG
            ownership?.check()
        #endif
    }
}

#if DEBUG
    /// Whether the context of an executor may be used on a thread.
    final class ContextOwnership: Sendable {
        private enum Owner {
            /// The code that made the executor, or has the context when the executor is gone.
            case caller
            /// The executor, which runs a job on the thread, or none.
            case executor(ObjectIdentifier?)
        }

        private let owner = Mutex(Owner.caller)

        /// The executor has its first job, or another.
        func beginJobs() {
            owner.withLock { if case .caller = $0 { $0 = .executor(nil) } }
        }

        /// The executor is gone.
        func endJobs() {
            owner.withLock { $0 = .caller }
        }

        /// Runs a job of the executor.
        func isolating(_ job: () -> Void) {
            setThread(ObjectIdentifier(Thread.current))
            job()
            setThread(nil)
        }

        private func setThread(_ thread: ObjectIdentifier?) {
            // A job may outlive its executor by some instructions.
            owner.withLock { if case .executor = $0 { $0 = .executor(thread) } }
        }

        /// By the thread and not by the queue: a job may call `sync` of another queue, which runs its block on the thread of
        /// the job.
        func check() {
            let thread = ObjectIdentifier(Thread.current)
            let isAllowed = owner.withLock { owner in
                switch owner {
                case .caller: true
                case .executor(let running): running == thread
                }
            }
            guard !isAllowed else { return }
            fatalError(
                """
                The ModelContext of a ModelActor was used outside of the actor, which may use it at the same time. \
                Call a method of the actor instead of using its modelExecutor.modelContext or its models.
                """)
        }
    }
#endif
