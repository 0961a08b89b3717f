import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The relationships of all models at one position.
struct RelationshipSnapshot {
    private var destinations: [String: [PersistentIdentifier: Set<PersistentIdentifier>]] = [:]
    private(set) var models: Set<PersistentIdentifier> = []

    /// The paths from the models of each entity whose history is read.
    static let paths: [String: [String]] = [
        "Traveler": [
            "journeys", "journeys.topics", "friends", "friends.journeys", "mentor", "pupils", "journeys.helper",
            "friends.friends", "mentor.pupils.journeys",
        ],
        "Journey": ["traveler", "traveler.mentor", "topics", "topics.journeys", "helper", "traveler.journeys"],
        "Topic": ["journeys", "journeys.traveler", "journeys.traveler.friends"],
        "Trip": ["bucketList", "livingAccommodation", "bucketList.trip", "livingAccommodation.trip.bucketList"],
        "LinkItem": [
            "tags", "photos", "covers", "sketches", "friends", "idols", "teachers", "students", "tags.items.photos",
            "idols.idols", "idols.students.tags",
        ],
        "LinkTag": ["items", "items.photos", "items.teachers"],
    ]

    init(_ context: ModelContext) throws {
        let schema = context.container.schema
        if schema.entitiesByName["Journey"] != nil { try addJourneys(context) }
        if schema.entitiesByName["LinkItem"] != nil { try addItems(context) }
    }

    private mutating func addJourneys(_ context: ModelContext) throws {
        for traveler in try context.fetch(FetchDescriptor<Traveler>()) {
            add(
                traveler,
                [
                    "journeys": traveler.journeys, "friends": traveler.friends, "pupils": traveler.pupils,
                    "mentor": traveler.mentor.map { [$0] } ?? [],
                ])
        }
        for journey in try context.fetch(FetchDescriptor<Journey>()) {
            add(
                journey,
                [
                    "traveler": journey.traveler.map { [$0] } ?? [], "topics": journey.topics,
                    "helper": (journey as? GuidedJourney)?.helper.map { [$0] } ?? [],
                ])
        }
        for topic in try context.fetch(FetchDescriptor<Topic>()) { add(topic, ["journeys": topic.journeys]) }
    }

    private mutating func addItems(_ context: ModelContext) throws {
        for trip in try context.fetch(FetchDescriptor<Trip>()) {
            add(
                trip,
                [
                    "bucketList": trip.bucketList,
                    "livingAccommodation": trip.livingAccommodation.map { [$0] } ?? [],
                ])
        }
        for item in try context.fetch(FetchDescriptor<BucketListItem>()) {
            add(item, ["trip": item.trip.map { [$0] } ?? []])
        }
        for place in try context.fetch(FetchDescriptor<LivingAccommodation>()) {
            add(place, ["trip": place.trip.map { [$0] } ?? []])
        }
        for item in try context.items() {
            add(
                item,
                [
                    "tags": item.tags, "photos": item.photos, "covers": Array(item.covers),
                    "sketches": item.sketches ?? [], "friends": item.friends, "idols": item.idols,
                    "teachers": item.teachers, "students": item.students,
                ])
        }
        for tag in try context.linkTags() { add(tag, ["items": tag.items]) }
        for photo in try context.photos() { add(photo, [:]) }
    }

    private mutating func add(_ model: any PersistentModel, _ relationships: [String: [any PersistentModel]]) {
        models.insert(model.persistentModelID)
        for (name, found) in relationships {
            destinations[name, default: [:]][model.persistentModelID] = Set(found.map(\.persistentModelID))
        }
    }

    /// The models at the end of a path.
    func models(of root: PersistentIdentifier, _ path: String) -> Set<PersistentIdentifier> {
        path.split(separator: ".").reduce([root]) { models, name in
            models.reduce(into: []) { $0.formUnion(destinations[String(name)]?[$1] ?? []) }
        }
    }
}

/// A history with the relationships before and after each transaction.
struct AggregateReference {
    struct Line: Equatable, CustomStringConvertible {
        let change: Int64?
        let model: PersistentIdentifier
        let paths: [String]

        var description: String { "\(change ?? 0) \(model) \(paths)" }
    }

    let transactions: [DefaultHistoryTransaction]
    /// The relationships before the first transaction, and after each.
    private let states: [RelationshipSnapshot]

    /// - Parameter kept: The positions at which the relationships were read.
    init(
        _ container: ModelContainer, _ kept: [(token: DefaultHistoryToken, snapshot: RelationshipSnapshot)]
    ) throws {
        let store = container.stores[0].identifier
        transactions = try ModelContext(container).fetchHistory()
        let identifiers = Set(transactions.map(\.transactionIdentifier))
        var known: [Int64: RelationshipSnapshot] = [:]
        for (token, snapshot) in kept {
            let position = token.position(in: store) ?? 0
            // The changes of another program had no header yet.
            known[identifiers.contains(position) ? position : position + 1] = snapshot
        }
        var states = [try RelationshipSnapshot(ModelContext(container, asOf: kept[0].token))]
        for transaction in transactions {
            // A step can commit several transactions.
            states.append(
                try known[transaction.transactionIdentifier]
                    ?? RelationshipSnapshot(ModelContext(container, asOf: transaction)))
        }
        self.states = states
    }

    /// The models with paths, beginning with those that existed after most transactions.
    var oldest: [PersistentIdentifier] {
        var counts: [PersistentIdentifier: Int] = [:]
        for model in states.flatMap(\.models) where RelationshipSnapshot.paths[model.rootEntityName] != nil {
            counts[model, default: 0] += 1
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    /// The expected changes of a model and of the models at the end of paths.
    func lines(of root: PersistentIdentifier, _ paths: [String]) -> [(transaction: Int, line: Line)] {
        let members = states.map { state in paths.map { state.models(of: root, $0) } }
        var lines: [(Int, Line)] = []
        for (index, transaction) in transactions.enumerated() {
            for change in transaction.changes {
                let model = change.changedPersistentIdentifier
                let found = paths.indices.filter {
                    members[index][$0].contains(model) || members[index + 1][$0].contains(model)
                }
                guard model == root || !found.isEmpty else { continue }
                lines.append(
                    (
                        index,
                        Line(change: change.integerChangeIdentifier, model: model, paths: found.map { paths[$0] })
                    ))
            }
        }
        return lines
    }

    /// The models at the end of paths after a transaction, and the root.
    func models(of root: PersistentIdentifier, _ paths: [String], after index: Int) -> Set<PersistentIdentifier> {
        paths.reduce(into: [root]) { $0.formUnion(states[index + 1].models(of: root, $1)) }
    }

    func contains(_ model: PersistentIdentifier, after index: Int) -> Bool { states[index + 1].models.contains(model) }
}

extension ModelHistoryEntry<DefaultHistoryTransaction> {
    var line: AggregateReference.Line {
        .init(change: change.integerChangeIdentifier, model: change.changedPersistentIdentifier, paths: paths)
    }
}
