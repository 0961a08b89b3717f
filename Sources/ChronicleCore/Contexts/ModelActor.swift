import Dispatch

/// An actor with a context of its own: what it does with models happens beside the rest of the program, one call at a time.
///
/// ```swift
/// @ModelActor
/// actor Importer {
///     func add(_ names: [String]) throws {
///         for name in names { modelContext.insert(Trip(name: name)) }
///         try modelContext.save()
///     }
/// }
///
/// try await Importer(modelContainer: container).add(["Rome", "Paris"])
/// ```
///
/// By hand, an actor declares the two properties and makes them in its initialiser:
///
/// ```swift
/// actor Importer: ModelActor {
///     nonisolated let modelExecutor: any ModelExecutor
///     nonisolated let modelContainer: ModelContainer
///
///     init(modelContainer: ModelContainer) {
///         self.modelContainer = modelContainer
///         modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
///     }
/// }
/// ```
///
/// Models do not leave the actor; their identifiers do. Nor does the context, although `modelExecutor` is reachable from
/// everywhere: see ``DefaultSerialModelExecutor``.
public protocol ModelActor: Actor {
    nonisolated var modelContainer: ModelContainer { get }
    /// Runs the actor's work, and has its context.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    nonisolated public var unownedExecutor: UnownedSerialExecutor { modelExecutor.asUnownedSerialExecutor() }

    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// The model with this identifier; `nil` when there is none, or it is of another class.
    ///
    /// What keeps a store from answering is thrown by the next `fetch` or `save` of the context.
    public subscript<Model: PersistentModel>(id: PersistentIdentifier, as type: Model.Type) -> Model? {
        do { return try modelContext.existingModel(for: id) as? Model } catch SwiftDataError.modelNotFound {
            return nil
        } catch {
            modelContext.storage.failures.addRead(ContextFailures.Key(identifier: id, propertyName: nil), error)
            return nil
        }
    }
}

/// Runs the work of a ``ModelActor``, one job at a time, and has its context.
public protocol ModelExecutor: SerialExecutor {
    var modelContext: ModelContext { get }
}

/// A ``ModelExecutor`` that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor {}

/// The executor of a ``ModelActor``: a queue of its own, so that waiting for a disk does not hold up the threads that all
/// tasks share.
///
/// From its first job on, the executor owns the context: only its jobs, which are the actor's methods, may use the context
/// and its models. Until then, the context belongs to the code that made the executor; an initializer or a test may use it.
/// A debug build checks this when the context fetches, inserts, changes, deletes, saves or rolls back, and stops the program
/// with a message. A release build does not check; using the context from two threads at once is undefined then.
///
/// `@unchecked Sendable`: the context is used by the jobs of the queue, which come one after the other.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
    public let modelContext: ModelContext
    private let queue = DispatchQueue(label: "chronicle.modelActor")
    #if DEBUG
        private let ownership = ContextOwnership()
    #endif

    /// - Parameter modelContext: The context that the actor's methods use; a context has one executor.
    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        #if DEBUG
            modelContext.ownership = ownership
        #endif
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        #if DEBUG
            ownership.beginJobs()
            queue.async { [ownership] in ownership.isolating { job.runSynchronously(on: executor) } }
        #else
            queue.async { job.runSynchronously(on: executor) }
        #endif
    }

    #if DEBUG
        deinit { ownership.endJobs() }
    #endif
}
