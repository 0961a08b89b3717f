/// The links of one name at a position of the history.
///
/// A link connects models that exist, so a deleted model can have links that have no effect until its insert is undone.
struct PastLinks {
    typealias Link = PastRelationships.Link
    typealias Existence = [PersistentIdentifier: Bool]

    /// Whether each link that a change concerned is there.
    private var changed: [Link: Bool] = [:]
    /// The links that were read or changed and are there.
    private var destinations: [PersistentIdentifier: Set<PersistentIdentifier>] = [:]
    private var owners: [PersistentIdentifier: Set<PersistentIdentifier>] = [:]
    /// The models whose present links were read, by the property at the source of the link.
    var readModels: [ObjectIdentifier: Set<PersistentIdentifier>] = [:]
    /// The names of the properties of models that exist and have unknown links.
    private(set) var unknown: [PersistentIdentifier: String] = [:]
    private var unknownOfDeleted: [PersistentIdentifier: String] = [:]

    /// Of the current step.
    private(set) var newlyUnknown: Set<PersistentIdentifier> = []
    /// Whether each link that the current step concerns connected models before.
    private var previous: [Link: Bool] = [:]

    private func isLive(_ link: Link) -> Bool { destinations[link.owner]?.contains(link.destination) ?? false }

    private func connects(_ link: Link, _ existence: Existence) -> Bool {
        isLive(link) && existence[link.owner] != false && existence[link.destination] != false
    }

    func models(linkedWith model: PersistentIdentifier, isOwner: Bool) -> Set<PersistentIdentifier> {
        (isOwner ? destinations : owners)[model] ?? []
    }

    mutating func read(_ link: Link) { if changed[link] == nil { setLive(link, true) } }

    mutating func set(_ link: Link, _ isLive: Bool, _ existence: Existence) {
        note(link, existence)
        changed[link] = isLive
        setLive(link, isLive)
    }

    private mutating func setLive(_ link: Link, _ isLive: Bool) {
        if isLive {
            destinations[link.owner, default: []].insert(link.destination)
            owners[link.destination, default: []].insert(link.owner)
        } else {
            destinations[link.owner]?.remove(link.destination)
            owners[link.destination]?.remove(link.owner)
        }
    }

    mutating func setUnknown(_ model: PersistentIdentifier, _ propertyName: String, _ existence: Existence) {
        if existence[model] == false {
            unknownOfDeleted[model] = propertyName
        } else {
            unknown[model] = propertyName
            newlyUnknown.insert(model)
        }
    }

    /// Returns the number of links of the model. `existence` is that before it begins or ceases to exist.
    mutating func willToggle(_ model: PersistentIdentifier, exists: Bool, _ existence: Existence) -> Int {
        if exists, let name = unknownOfDeleted.removeValue(forKey: model) {
            unknown[model] = name
            newlyUnknown.insert(model)
        } else if !exists, let name = unknown.removeValue(forKey: model) {
            unknownOfDeleted[model] = name
        }
        let links =
            (destinations[model] ?? []).map { Link(owner: model, destination: $0) }
            + (owners[model] ?? []).map { Link(owner: $0, destination: model) }
        for link in links { note(link, existence) }
        return links.count
    }

    private mutating func note(_ link: Link, _ existence: Existence) {
        if previous[link] == nil { previous[link] = connects(link, existence) }
    }

    /// What the current step changed. `count` is 1 for a link that was added, and -1 for one that was removed.
    func differences(_ existence: Existence) -> [(link: Link, count: Int)] {
        previous.compactMap { link, isConnected in
            connects(link, existence) == isConnected ? nil : (link, isConnected ? -1 : 1)
        }
    }

    mutating func endStep() { (previous, newlyUnknown) = ([:], []) }
}
