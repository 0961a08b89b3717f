import Dispatch

/// An actor that has its own model context.
///
/// Use a model actor to work with models outside the main actor. Its methods run one at a time and do not block other tasks while
/// they wait for the disk.
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
/// Without the macro, declare the two properties and create them in the initializer:
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
/// Pass identifiers out of the actor, and not models. Do not use the context outside the actor either, although `modelExecutor` is
/// accessible from everywhere; see ``DefaultSerialModelExecutor``.
public protocol ModelActor: Actor {
    /// The container whose stores the actor uses.
    nonisolated var modelContainer: ModelContainer { get }
    /// The executor that runs the methods of the actor and owns its context.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The executor of the actor as an unowned reference.
    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        // A cast to a class takes less time than one to a protocol.
        if let executor = modelExecutor as? DefaultSerialModelExecutor { return executor.asUnownedSerialExecutor() }
        guard let executor = modelExecutor as? any SerialExecutor else {
            preconditionFailure("\(Self.self): the executor of a model actor must conform to SerialModelExecutor")
        }
        return executor.asUnownedSerialExecutor()
    }

    /// The context of the actor.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// Returns the model with the given identifier.
    ///
    /// If the store cannot load the row, the result is `nil` and the next `fetch` or `save` of the context throws the error.
    ///
    /// - Parameters:
    ///   - id: The identifier of the model.
    ///   - type: The class of the model.
    /// - Returns: The model, or `nil` if it does not exist, cannot be loaded, or is of another class.
    public subscript<Model: PersistentModel>(id: PersistentIdentifier, as type: Model.Type) -> Model? {
        do { return try modelContext.existingModel(for: id) as? Model } catch SwiftDataError.modelNotFound {
            return nil
        } catch {
            modelContext.storage.failures.addRead(ContextFailures.Key(identifier: id, propertyName: nil), error)
            return nil
        }
    }
}

/// An executor that runs the methods of a ``ModelActor`` and owns its context. It must conform to ``SerialModelExecutor``, because
/// an actor runs its methods one at a time.
public protocol ModelExecutor: Executor {
    /// The context that the jobs of the executor use.
    var modelContext: ModelContext { get }
}

/// A ``ModelExecutor`` that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// The default executor of a ``ModelActor``, which runs its jobs on a dispatch queue.
///
/// The queue is not part of the thread pool that all tasks share, so that waiting for the disk does not block other tasks.
///
/// From its first job on, the executor owns the context: only its jobs, which are the methods of the actor, may use the context and
/// its models. Before, the code that created the executor may use the context, for example in an initializer or a test. A debug
/// build ends the program with a message if other code uses the context to fetch, insert, change, delete, save or roll back. A
/// release build does not check this; using the context on two threads at once is then undefined behavior.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
    // The reason for `@unchecked Sendable`: only the jobs of a serial queue use the context.

    public let modelContext: ModelContext
    private let queue = DispatchQueue(label: "chronicle.modelActor")
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
    #if DEBUG
        private let ownership = ContextOwnership()
    #endif

    /// Creates an executor for a context.
    ///
    /// - Parameter modelContext: The context of the actor. A context can have only one executor.
    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(queue))
        modelContext.executor = self
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

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(queue) }

    /// The closure may use the context, after the jobs that were enqueued before.
    func async(_ work: @escaping @Sendable () -> Void) {
        #if DEBUG
            queue.async { [ownership] in ownership.isolating(work) }
        #else
            queue.async(execute: work)
        #endif
    }

    #if DEBUG
        deinit { ownership.endJobs() }
    #endif
}
