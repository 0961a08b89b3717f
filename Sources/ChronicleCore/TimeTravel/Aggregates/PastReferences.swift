/// The references of one property at a position of the history.
struct PastReferences {
    private var changed: [PersistentIdentifier: PastRelationships.Reference] = [:]
    private var present: [PersistentIdentifier: PersistentIdentifier?] = [:]
    /// The models with each destination, of the references that were read or changed.
    private(set) var referrers: [PersistentIdentifier: Set<PersistentIdentifier>] = [:]
    private(set) var unknown: Set<PersistentIdentifier> = []
    /// The models whose present referrers were read.
    var readDestinations: Set<PersistentIdentifier> = []

    /// The references before the current step of the models whose references it changed. Those that were not read are `nil`: they
    /// have no destination whose referrers were read.
    private var previous: [PersistentIdentifier: PastRelationships.Reference?] = [:]

    /// `nil` if it was not read.
    func reference(of model: PersistentIdentifier) -> PastRelationships.Reference? {
        changed[model] ?? present[model].map { .destination($0) }
    }

    mutating func read(_ model: PersistentIdentifier, _ destination: PersistentIdentifier?) {
        guard changed[model] == nil else { return }
        present[model] = .some(destination)
        if let destination { referrers[destination, default: []].insert(model) }
    }

    mutating func set(_ model: PersistentIdentifier, _ reference: PastRelationships.Reference) {
        let earlier = self.reference(of: model)
        if previous[model] == nil { previous[model] = .some(earlier) }
        if case .destination(let destination?) = earlier { referrers[destination]?.remove(model) }
        changed[model] = reference
        unknown.remove(model)
        switch reference {
        case .destination(let destination): if let destination { referrers[destination, default: []].insert(model) }
        case .unknown: unknown.insert(model)
        }
    }

    /// Of the models whose reference became unknown in the current step.
    var newlyUnknown: [PersistentIdentifier] { previous.keys.filter(unknown.contains) }

    /// What the current step changed. `count` is 1 for a new destination, and -1 for an earlier one.
    var differences: [(model: PersistentIdentifier, destination: PersistentIdentifier, count: Int)] {
        previous.flatMap { model, previous in
            let (old, new) = (previous?.destination, changed[model]?.destination)
            guard old != new else { return [(PersistentIdentifier, PersistentIdentifier, Int)]() }
            return [(old, -1), (new, 1)].compactMap { destination, count in destination.map { (model, $0, count) } }
        }
    }

    mutating func endStep() { previous = [:] }
}

extension PastRelationships.Reference {
    fileprivate var destination: PersistentIdentifier? {
        if case .destination(let destination) = self { destination } else { nil }
    }
}
