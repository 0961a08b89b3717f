import Synchronization

// Observation of properties; see ``ModelObservation``. The property wrappers report reads and changes by the program,
// and the context reports its own changes.
extension AnyBackingData {
    @inlinable @inline(__always)
    var isObserved: Bool { extras?.observation != nil }

    @inlinable @inline(__always)
    func isAccessTracked() -> Bool { isObserved || isUnobservedAccessTracked() }

    @usableFromInline @inline(never)
    final func isUnobservedAccessTracked() -> Bool {
        // Not retained, because that would take as long as the rest.
        guard let entity = membership.map(Unmanaged.passUnretained) else { return isDetachedAccessTracked() }
        return entity._withUnsafeGuaranteedRef { $0.isAccessTracked() }
    }

    // The program reads a property, after ``isAccessTracked()`` returned `true`, or sets a property of an observed model.
    // An attribute of a direct type is identified by the offset of its wrapper, and any other property by its key path.

    @usableFromInline @inline(never)
    func access(at offset: Int) { access(.offset(offset)) }
    @usableFromInline @inline(never)
    func access(_ keyPath: AnyKeyPath) { access(.keyPath(keyPath)) }

    private func access(_ property: ObservedProperty) {
        if !isObserved, let membership { makeExtras().observation = membership.takeObservation() }
        extras?.observation?.access(property)
    }

    @usableFromInline @inline(never)
    func willSet(at offset: Int) { extras?.observation?.willSet(.offset(offset)) }
    @usableFromInline @inline(never)
    func willSet(_ keyPath: AnyKeyPath) { extras?.observation?.willSet(.keyPath(keyPath)) }

    @usableFromInline @inline(never)
    func didSet(at offset: Int) { extras?.observation?.didSet(.offset(offset)) }
    @usableFromInline @inline(never)
    func didSet(_ keyPath: AnyKeyPath) { extras?.observation?.didSet(.keyPath(keyPath)) }

    // MARK: Models without a context

    private static let detachedObservation = Mutex(UnusedObservation())

    private struct UnusedObservation: @unchecked Sendable {
        // The reason for `@unchecked Sendable`: the mutex protects the instance until a model takes it over.
        var value = ModelObservation()
    }

    /// If the access is tracked, the model takes the instance over.
    private func isDetachedAccessTracked() -> Bool {
        let taken = Self.detachedObservation.withLockIfAvailable { unused -> UnusedObservation? in
            guard unused.value.isAccessTracked() else { return nil }
            defer { unused = UnusedObservation() }
            return unused
        }
        // Another thread uses the instance.
        guard let taken else { return observe(ModelObservation()) }
        return taken.map { observe($0.value) } ?? false
    }

    private func observe(_ observation: ModelObservation) -> Bool {
        makeExtras().observation = observation
        return true
    }
}

// Changes by the context.
extension AnyBackingData {
    /// Observers are notified when the current operation of the context ends.
    func didChange(_ property: Schema.Property) {
        guard let observation = extras?.observation, let property = property.observed, observation.observes(property)
        else { return }
        membership?.owner.didChange(observation, property)
    }

    func didChangeAllProperties() {
        guard let observation = extras?.observation else { return }
        membership?.owner.didChange(observation, nil)
    }

    /// If the destination has no inverse relationship, it keeps the observed reference, to report when it is deleted or restored.
    func observeDestination(at keyPath: AnyKeyPath) {
        guard let observation = extras?.observation, let membership, let property = membership.property(at: keyPath),
            let observed = property.observed, property.slot >= 0,
            membership.slotsWithoutInverse.contains(property.slot), let identifier = reference(property),
            let destination = membership.registry[identifier]
        else { return }
        let extras = destination.makeExtras()
        // Each time the number of references of released models may have doubled.
        if extras.observedReferences.count == extras.observedReferences.capacity {
            extras.observedReferences = extras.observedReferences.filter { $1.observation != nil }
        }
        let key = ObservedReference.Key(observation: ObjectIdentifier(observation), slot: property.slot)
        extras.observedReferences[key] = ObservedReference(
            observation: observation, property: observed, isVisible: destination.state.isInContext)
    }

    /// Reports to the observers of references to this model that they have another value.
    func didChangeReferences() {
        guard let extras, !extras.observedReferences.isEmpty, let membership else { return }
        let changed = extras.observedReferences.filter { $1.isVisible != state.isInContext }
        for (key, reference) in changed {
            extras.observedReferences[key] = nil
            guard let observation = reference.observation else { continue }
            membership.owner.didChange(observation, reference.property)
        }
    }

    func didChangeLists() {
        guard isObserved, let properties = membership?.entity.relationshipProperties else { return }
        for property in properties where property.slot < 0 { didChange(property) }
    }

    /// To compare them when the lists are read again.
    func keepDiscardedLists(where isDiscarded: (Int) -> Bool) {
        guard let extras, let entity = membership?.entity else { return }
        for (index, list) in extras.lists where isDiscarded(index) {
            keepDiscarded(list, of: entity.properties[index])
        }
    }

    func keepDiscarded(_ list: ToManyList, of property: Schema.Property) {
        guard let observation = extras?.observation, let property = property.observed else { return }
        observation.discard(property, list.knownIdentifiers)
    }

    func didReadAgain(_ property: Schema.Property, _ list: ToManyList) {
        guard let observation = extras?.observation, let observed = property.observed,
            observation.isChanged(observed, list.knownIdentifiers)
        else { return }
        didChange(property)
    }
}
