public import Foundation
public import Observation
import Synchronization

/// An observable object that keeps the result of a fetch up to date.
///
/// Use it outside of views, where a program would otherwise fetch again after each change:
///
/// ```swift
/// let observer = try ResultsObserver<Trip, Never>(
///     filterBy: #Predicate { $0.hasUnreadChanges }, sortBy: [SortDescriptor(\.name)], modelContext: context)
/// withObservationTracking {
///     show(observer.results)
/// } onChange: {
///     // Show the results again.
/// }
/// ```
///
/// The ``results`` follow the changes of the context, saved or not, and the transactions that other contexts, processes and
/// programs commit to the stores; a custom store reports these if it adopts ``DataStoreNotifying``. Observers of ``results`` and
/// ``sections`` are notified when models join or leave the results or when their order or their sections change. A change of
/// another attribute is observed with the model itself.
///
/// ## Sections
///
/// With a key path to a string, ``sections`` groups the results:
///
/// ```swift
/// let observer = try ResultsObserver<Trip, String>(sectionBy: \.destination, modelContext: context)
/// ```
///
/// ## Isolation
///
/// Like its context, the observer is confined to one task or actor. On the actor that created the observer, the results are fetched
/// again and the program is notified. Without an actor, the program is notified on another thread, and the next access to
/// ``results`` fetches. On an actor that never suspends, such as the main actor in a `main` function without `await`, the program
/// is not notified, and the next access fetches as well.
///
/// The observer keeps its context and the models of the results in memory. The observation ends when it is released.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
    /// The context from which the models are fetched.
    public let modelContext: ModelContext
    /// The key path that determines the section of a model, or `nil` if the results have no sections.
    public let sectionBy: PartialKeyPath<Element>?

    private let grouping: Grouping?
    private let registrar = ObservationRegistrar()
    private let events: CommitEvents
    private var descriptor: FetchDescriptor<Element>
    private var models: [Element] = []
    private var groups: SectionedResults<Element, SectionTitle>?
    private var indexPaths: [ObjectIdentifier: IndexPath]?
    /// The error of the latest fetch, after which each access fetches again.
    private var lastError: (any Error)?
    private let staleness = ResultsStaleness()
    private var fetchedCount: UInt64 = 0

    struct Grouping {
        let keyPath: PartialKeyPath<Element>
        /// Sorts the models of a section next to each other. An array, because an optimized build of Swift 6.3 cannot link a
        /// generic structure that contains a `SortDescriptor`.
        let order: [SortDescriptor<Element>]
        let title: (Element) -> SectionTitle
    }

    init(
        _ descriptor: FetchDescriptor<Element>, _ grouping: Grouping?, _ context: ModelContext,
        _ isolation: isolated (any Actor)?
    ) throws {
        modelContext = context
        self.grouping = grouping
        sectionBy = grouping?.keyPath
        self.descriptor = Self.sorted(descriptor, grouping)
        // Subscribed first, so that each transaction is either in the results or announced by an event.
        events = try CommitEvents(context.coordinator)
        try fetch()
        context.storage.addChangeObserver(self)
        // The tasks retain neither the stores nor the observer. The observer and its models must not be released on the
        // thread of a task.
        guard let actor = isolation.map(ObservingActor.init) else {
            Task { [signal = events.signal, staleness] in
                while await signal.wait() { staleness.invalidate() }
            }
            return
        }
        let observer = ConfinedObserver(value: self)
        Task { [signal = events.signal] in
            var isComplete = true
            while isComplete ? await signal.wait() : await signal.wait(atMost: .seconds(1)) {
                guard let actor = actor.value else { return }
                isComplete = await observer.refresh(on: actor)
            }
        }
    }

    deinit { events.cancel() }

    // MARK: Results

    /// The models that match the ``fetchDescriptor``, in its order.
    ///
    /// If the context has changed since the last fetch, or something was committed, an access fetches again, so a model is among
    /// the results as soon as it was inserted, by ``ModelContext/insert(_:)`` or by a batch. If that fails, the earlier results
    /// remain; see ``error``.
    ///
    /// - Complexity: O(1), or that of the fetch after a change.
    public var results: FetchResultsCollection<Element> {
        registrar.access(self, keyPath: \.results)
        staleness.access()
        update()
        let models = models
        return FetchResultsCollection(count: models.count) { models[$0] }
    }

    /// The results grouped by ``sectionBy``, or `nil` if the observer was created without a section key path.
    ///
    /// The sections are in the order of their first model. The attribute of the section is the first sort descriptor; to reverse
    /// the order of the sections, begin ``sortBy`` with a descriptor of that attribute.
    ///
    /// - Complexity: O(1), or that of the fetch after a change.
    public var sections: SectionedResults<Element, SectionTitle>? {
        registrar.access(self, keyPath: \.sections)
        staleness.access()
        update()
        return groups
    }

    /// The error of the latest fetch, or `nil` if it succeeded. The observer tries again after each change, and once a second if it
    /// belongs to an actor.
    ///
    /// An error of an earlier operation, such as an insert that failed, is left to the next fetch or save of the program.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return lastError
    }

    /// Returns the model at an index path of the sections.
    ///
    /// - Parameter indexPath: The position of the section, and that of the model in the section.
    /// - Returns: The model, or `nil` if the results have no sections or the index path is out of bounds.
    /// - Complexity: O(1), or that of the fetch after a change.
    public func element(at indexPath: IndexPath) -> Element? {
        guard let sections, indexPath.count == 2, sections.indices.contains(indexPath[0]) else { return nil }
        let section = sections[indexPath[0]]
        return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
    }

    /// Returns the index path of a model in the sections.
    ///
    /// - Parameter element: The model.
    /// - Returns: The position of the section and that of the model in the section, or `nil` if the results have no sections or do
    ///   not contain the model.
    /// - Complexity: O(1); O(*n*) for the first call after the results have changed, where *n* is their number.
    public func indexPath(for element: Element) -> IndexPath? {
        guard let sections else { return nil }
        if let indexPaths { return indexPaths[ObjectIdentifier(element)] }
        var positions: [ObjectIdentifier: IndexPath] = [:]
        for (number, section) in sections.enumerated() {
            for (position, model) in section.enumerated() {
                positions[ObjectIdentifier(model)] = [number, position]
            }
        }
        indexPaths = positions
        return positions[ObjectIdentifier(element)]
    }

    // MARK: Criteria

    /// The descriptor of the fetch. Setting it fetches immediately; if that fails, the earlier results remain; see ``error``.
    public var fetchDescriptor: FetchDescriptor<Element> {
        get {
            registrar.access(self, keyPath: \.fetchDescriptor)
            return descriptor
        }
        set {
            registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
                descriptor = Self.sorted(newValue, grouping)
            }
            staleness.value = true
            update()
        }
    }

    /// The predicate of the ``fetchDescriptor``. Setting it fetches immediately.
    public var filterBy: Predicate<Element>? {
        get { fetchDescriptor.predicate }
        set { fetchDescriptor.predicate = newValue }
    }

    /// The order of the ``fetchDescriptor``. Setting it fetches immediately. If the results have sections, the first sort
    /// descriptor is always one of the section's attribute; it is inserted if necessary.
    public var sortBy: [SortDescriptor<Element>] {
        get { fetchDescriptor.sortBy }
        set { fetchDescriptor.sortBy = newValue }
    }

    private static func sorted(
        _ descriptor: FetchDescriptor<Element>, _ grouping: Grouping?
    ) -> FetchDescriptor<Element> {
        guard let grouping else { return descriptor }
        for first in descriptor.sortBy.prefix(1) where first.keyPath == grouping.keyPath { return descriptor }
        var descriptor = descriptor
        descriptor.sortBy = grouping.order + descriptor.sortBy
        return descriptor
    }
}

extension ResultsObserver {
    /// - Parameter isAutomatic: Whether the program may not notice an error, because it did not ask for the fetch.
    private func fetch(isAutomatic: Bool = false) throws {
        staleness.value = false
        fetchedCount = commitCount
        // The next change of a model that has unsaved changes already may change the results again, or make a fetch possible
        // that failed because of the model.
        defer { for listed in modelContext.pendingModels { listed.backing.reportNextChange() } }
        let fetched = try modelContext.fetch(descriptor, leavingFailures: isAutomatic)
        let groups = try grouping.map { grouping in
            // The titles may be properties of other models.
            var related = try RelatedModels(modelContext, FetchDescriptor<Element>(sortBy: grouping.order))
            try related.readDestinations(of: fetched)
            return try withExtendedLifetime(related) {
                try modelContext.evaluating { SectionedResults(fetched, by: grouping.title) }
            }
        }
        guard !fetched.elementsEqual(models, by: { $0 === $1 }) || groups != self.groups else { return }
        registrar.withMutation(of: self, keyPath: \.results) {
            registrar.withMutation(of: self, keyPath: \.sections) {
                (models, self.groups, indexPaths) = (fetched, groups, nil)
            }
        }
    }

    private var commitCount: UInt64 { modelContext.coordinator.commits.count }

    /// Returns `false` if the fetch failed.
    @discardableResult
    private func update() -> Bool {
        guard staleness.value || lastError != nil || fetchedCount != commitCount else { return true }
        let error: (any Error)?
        do {
            try fetch(isAutomatic: true)
            error = nil
        } catch let failure {
            error = failure
        }
        if error != nil || lastError != nil {
            registrar.withMutation(of: self, keyPath: \.error) { lastError = error }
        }
        return error == nil
    }
}

extension ResultsObserver: RefreshableResults {
    fileprivate func refresh() -> Bool {
        staleness.value = true
        return update()
    }
}

extension ResultsObserver: ContextChangeObserver {
    func contextDidChange() {
        guard !staleness.setValue() else { return }
        events.signal.signal()
    }
}

private final class ResultsStaleness: Observable, Sendable {
    private let isStale = Atomic(false)
    private let registrar = ObservationRegistrar()

    var value: Bool {
        get { isStale.load(ordering: .relaxed) }
        set { isStale.store(newValue, ordering: .relaxed) }
    }

    /// Returns the former value.
    func setValue() -> Bool { isStale.exchange(true, ordering: .relaxed) }

    func access() { registrar.access(self, keyPath: \.value) }

    /// May be called on any thread.
    func invalidate() {
        // Before the notification, during which the program may fetch on another thread and reset the value.
        value = true
        registrar.withMutation(of: self, keyPath: \.value) {}
    }
}

private protocol RefreshableResults: AnyObject {
    /// Returns `false` if the fetch failed.
    func refresh() -> Bool
}

private struct ConfinedObserver: @unchecked Sendable {
    // The reason for `@unchecked Sendable`: other threads only copy the weak reference.

    weak var value: (any RefreshableResults)?

    func refresh(on isolation: isolated any Actor) -> Bool { value?.refresh() ?? true }
}
