import Foundation
import Synchronization

extension ModelContext {
    /// In a debug build, ends the program if the context belongs to an actor and the caller is not on that actor, or if another
    /// thread is using the context.
    func checkIsolation() {
        #if DEBUG
            ownership?.check()
            storage.access.check()
        #endif
    }
}

#if DEBUG
    /// Detects that two threads use a context, or its models, at the same time.
    ///
    /// Threads may take turns. Only an operation, such as a fetch or a save, lasts long enough to be detected.
    final class ContextAccess: Sendable {
        private struct Current {
            let thread: ObjectIdentifier
            let name: String
            var depth: Int
        }

        private let current = Mutex<Current?>(nil)

        func begin() { enter(1) }

        func end() {
            current.withLock { current in
                current?.depth -= 1
                if current?.depth == 0 { current = nil }
            }
        }

        func check() { enter(0) }

        private func enter(_ depth: Int) {
            let thread = Thread.current
            let identifier = ObjectIdentifier(thread)
            let other: String? = current.withLock { current in
                if let known = current {
                    if known.thread != identifier { return known.name }
                    current?.depth += depth
                } else if depth > 0 {
                    current = Current(thread: identifier, name: Self.name(of: thread), depth: depth)
                }
                return nil
            }
            guard let other else { return }
            // Debug builds only: concurrent use of the context would corrupt its state.
            fatalError(
                """
                A ModelContext was used by \(Self.name(of: thread)) while \(other) was using it. Use a context and its \
                models on one thread or actor at a time: create a context for each of them, or use a ModelActor.
                """)
        }

        private static func name(of thread: Thread) -> String {
            if thread.isMainThread { return "the main thread" }
            // On Linux, several threads may have an inherited name.
            let number = "\(UInt(bitPattern: ObjectIdentifier(thread).hashValue))"
            guard let name = thread.name, !name.isEmpty else { return "the thread \(number)" }
            return "the thread \"\(name)\" (\(number))"
        }
    }

    /// Determines the threads that may use the context of an executor.
    final class ContextOwnership: Sendable {
        private enum Owner {
            case caller
            /// The executor, with the thread of its current job; `nil` between jobs.
            case executor(ObjectIdentifier?)
        }

        private let owner = Mutex(Owner.caller)

        func beginJobs() {
            owner.withLock { if case .caller = $0 { $0 = .executor(nil) } }
        }

        func endJobs() {
            owner.withLock { $0 = .caller }
        }

        func isolating(_ job: () -> Void) {
            setThread(ObjectIdentifier(Thread.current))
            job()
            setThread(nil)
        }

        private func setThread(_ thread: ObjectIdentifier?) {
            // The executor may be released shortly before its last job returns.
            owner.withLock { if case .executor = $0 { $0 = .executor(thread) } }
        }

        /// Ends the program if the current thread may not use the context. Compares threads and not queues, because a job may call
        /// `sync` of another queue, which runs its block on the thread of the job.
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
