import Synchronization

// Observation of properties; see ``ModelObservation``. The property wrappers report reads and changes by the program,
// and the context reports its own changes.
extension AnyBackingData {
    /// Whether a property of the model was ever read while an access was tracked.
    @inlinable @inline(__always)
    var isObserved: Bool { extras?.observation != nil }

    /// Returns whether the read of a property must be reported with ``access(_:)``.
    ///
    /// Getters call this method first, because mentioning their key path is expensive.
    @inlinable @inline(__always)
    func isAccessTracked() -> Bool { isObserved || isUnobservedAccessTracked() }

    @usableFromInline @inline(never)
    final func isUnobservedAccessTracked() -> Bool {
        guard let membership else { return isDetachedAccessTracked() }
        return membership.isAccessTracked()
    }

    /// Reports that the program reads a property, after ``isAccessTracked()`` returned `true`.
    @usableFromInline @inline(never)
    func access(_ keyPath: AnyKeyPath) {
        if !isObserved, let membership { makeExtras().observation = membership.takeObservation() }
        extras?.observation?.access(keyPath)
    }

    /// Reports that the program is about to set a property of an observed model.
    @usableFromInline @inline(never)
    func willSet(_ keyPath: AnyKeyPath) { extras?.observation?.willSet(keyPath) }

    /// Reports that the program has set a property of an observed model.
    @usableFromInline @inline(never)
    func didSet(_ keyPath: AnyKeyPath) { extras?.observation?.didSet(keyPath) }

    // MARK: Models without a context

    /// The unused instance for models that are not in a context.
    private static let detachedObservation = Mutex(UnusedObservation())

    private struct UnusedObservation: @unchecked Sendable {
        // The reason for `@unchecked Sendable`: the mutex protects the instance until a model takes it over.
        var value = ModelObservation()
    }

    /// Does the same for a model that is not in a context. If the access is tracked, the model takes the instance over.
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
    /// Notifies the observers of a property when the current operation of the context ends.
    func didChange(_ property: Schema.Property) {
        guard let observation = extras?.observation, let keyPath = property.keyPath, observation.observes(keyPath)
        else { return }
        membership?.owner.didChange(observation, keyPath)
    }

    /// Notifies the observers of all properties when the current operation of the context ends.
    func didChangeAllProperties() {
        guard let observation = extras?.observation else { return }
        membership?.owner.didChange(observation, nil)
    }

    /// Notifies the observers of all to-many relationships when the current operation of the context ends.
    func didChangeLists() {
        guard isObserved, let properties = membership?.entity.relationshipProperties else { return }
        for property in properties where property.slot < 0 { didChange(property) }
    }

    /// Keeps the destinations of observed lists that are being discarded, to compare them when the lists are read again.
    func keepDiscardedLists(where isDiscarded: (Int) -> Bool) {
        guard let extras, let entity = membership?.entity else { return }
        for (index, list) in extras.lists where isDiscarded(index) {
            keepDiscarded(list, of: entity.properties[index])
        }
    }

    /// Keeps the destinations of a list that is being discarded, if it is observed.
    func keepDiscarded(_ list: ToManyList, of property: Schema.Property) {
        guard let observation = extras?.observation, let keyPath = property.keyPath else { return }
        observation.discard(keyPath, list.knownIdentifiers)
    }

    /// Notifies the observers of a list that was read again if it has changed since it was discarded.
    func didReadAgain(_ property: Schema.Property, _ list: ToManyList) {
        guard let observation = extras?.observation, let keyPath = property.keyPath,
            observation.isChanged(keyPath, list.knownIdentifiers)
        else { return }
        didChange(property)
    }
}
