import Chronicle
import ChronicleTestSupport
import Foundation

/// The content of a store as text, to compare changes of the history with fetched models.
struct StoreContent: Equatable {
    struct Model: Equatable {
        /// The attributes and to-one relationships.
        var values: [String: String] = [:]
        /// The destinations of relationships that are stored as links.
        var links: [String: Set<PersistentIdentifier>] = [:]
    }

    var models: [PersistentIdentifier: Model] = [:]

    static let types: [any PersistentModel.Type] = [
        Trip.self, BucketListItem.self, LivingAccommodation.self, LinkItem.self, LinkTag.self, LinkPhoto.self,
    ]

    /// Reads the content with a new context.
    init(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        for trip in try context.fetch(FetchDescriptor<Trip>()) {
            add(
                trip,
                [
                    "name": trip.name, "destination": trip.destination, "startDate": trip.startDate,
                    "endDate": trip.endDate, "note": trip.note, "tags": trip.tags,
                    "livingAccommodation": trip.livingAccommodation?.persistentModelID,
                ])
        }
        for item in try context.fetch(FetchDescriptor<BucketListItem>()) {
            add(item, ["title": item.title, "isDone": item.isDone, "trip": item.trip?.persistentModelID])
        }
        for place in try context.fetch(FetchDescriptor<LivingAccommodation>()) {
            add(
                place,
                [
                    "placeName": place.placeName, "isConfirmed": place.isConfirmed,
                    "trip": place.trip?.persistentModelID,
                ])
        }
        for item in try context.items() {
            add(
                item, ["name": item.name, "number": item.number],
                [
                    "tags": item.tags.identifiers, "photos": item.photos.identifiers,
                    "covers": item.covers.identifiers, "sketches": (item.sketches ?? []).identifiers,
                    "friends": item.friends.identifiers, "idols": item.idols.identifiers,
                    "teachers": item.teachers.identifiers, "students": item.students.identifiers,
                ])
        }
        for tag in try context.linkTags() {
            add(tag, ["name": tag.name, "weight": tag.weight], ["items": tag.items.identifiers])
        }
        for photo in try context.photos() { add(photo, ["name": photo.name]) }
    }

    mutating func add(
        _ model: any PersistentModel, _ values: [String: Any?], _ links: [String: Set<PersistentIdentifier>] = [:]
    ) {
        models[model.persistentModelID] = Model(values: values.mapValues(Self.text), links: links)
    }

    static func text(_ value: Any?) -> String {
        if let date = value as? Date { return "\(date.timeIntervalSinceReferenceDate)" }
        return value.map { "\($0)" } ?? "nil"
    }

    /// Returns the changes from this content to another one, a line for each model.
    ///
    /// - Parameter isIgnored: Returns whether an attribute of a model is not part of the lines.
    func difference(
        to other: StoreContent,
        ignoring isIgnored: (_ model: PersistentIdentifier, _ name: String, _ kind: NetChange.Kind) -> Bool = {
            _, _, _ in false
        }
    ) -> [String: String] {
        var lines: [String: String] = [:]
        for identifier in Set(models.keys).union(other.models.keys) {
            func line(_ kind: NetChange.Kind, _ values: [String: String]) -> String {
                "\(kind) "
                    + values.filter { !isIgnored(identifier, $0.key, kind) }.map { "\($0): \($1)" }.sorted()
                    .joined(separator: ", ")
            }
            switch (models[identifier], other.models[identifier]) {
            case (let old?, nil): lines["\(identifier)"] = line(.delete, old.values.merging(old.ownLinks) { $1 })
            case (nil, let new?): lines["\(identifier)"] = line(.insert, new.values)
            case (let old?, let new?):
                let values = new.values.compactMap { name, value in
                    old.values[name] == value || isIgnored(identifier, name, .update)
                        ? nil : "\(name): \(old.values[name] ?? "") to \(value)"
                }
                let links = new.links.compactMap { name, links in
                    let known = old.links[name] ?? []
                    return known == links
                        ? nil : "\(name): +\(links.subtracting(known).sorted()) -\(known.subtracting(links).sorted())"
                }
                if !(values + links).isEmpty {
                    lines["\(identifier)"] = "update " + (values + links).sorted().joined(separator: ", ")
                }
            case (nil, nil): break
            }
        }
        return lines
    }
}

extension StoreContent.Model {
    /// The relationships without an inverse. The links of others are changes of the models at their other ends.
    static let namesWithoutInverse: Set = ["photos", "covers", "sketches", "idols", "echoes", "sequels"]

    /// The destinations of these relationships, as text.
    fileprivate var ownLinks: [String: String] {
        links.filter { Self.namesWithoutInverse.contains($0.key) && !$0.value.isEmpty }.mapValues { "-\($0.sorted())" }
    }
}

extension StoreContent {
    /// The content without links to models that are not part of it.
    var removingLinksToMissingModels: StoreContent {
        var content = self
        for (identifier, model) in models {
            content.models[identifier]?.links = model.links.mapValues { links in links.filter { models[$0] != nil } }
        }
        return content
    }
}

extension Sequence where Element: PersistentModel {
    var identifiers: Set<PersistentIdentifier> { Set(map(\.persistentModelID)) }
}

extension NetChanges {
    /// The same text as ``StoreContent/difference(to:ignoring:)``.
    func lines(
        ignoring isIgnored: (_ model: PersistentIdentifier, _ name: String, _ kind: NetChange.Kind) -> Bool
    ) -> [String: String] {
        var lines: [String: String] = [:]
        for change in self {
            guard let line = change.line(ignoring: isIgnored) else { continue }
            let known = lines["\(change.persistentIdentifier)"].map { "\($0) and " } ?? ""
            lines["\(change.persistentIdentifier)"] = known + line
        }
        return lines
    }
}

extension NetChange {
    /// Returns a line, or `nil` if all attributes of an update are ignored.
    fileprivate func line(
        ignoring isIgnored: (_ model: PersistentIdentifier, _ name: String, _ kind: Kind) -> Bool
    ) -> String? {
        func text(_ value: (any Sendable)??) -> String { value.map { StoreContent.text($0) } ?? "missing" }
        // The links of inserted and deleted models are changes of their other ends, if there is an inverse.
        let links = [
            "tags", "items", "photos", "covers", "sketches", "friends", "idols", "teachers", "students", "themes",
            "poems", "echoes", "sequels",
        ]
        let known = values.filter { !isIgnored(persistentIdentifier, $0.name, kind) }
        let attributes = known.filter { persistentIdentifier.entityName == "Trip" || !links.contains($0.name) }
        let texts =
            switch kind {
            case .insert: attributes.map { "\($0.name): \(text($0.value))" }
            case .delete:
                attributes.map { "\($0.name): \(text($0.previousValue))" }
                    + known.filter { StoreContent.Model.namesWithoutInverse.contains($0.name) }
                    .map { "\($0.name): -\($0.removedDestinations ?? [])" }
            case .update:
                known.map { value in
                    value.addedDestinations.map { "\(value.name): +\($0) -\(value.removedDestinations ?? [])" }
                        ?? "\(value.name): \(text(value.previousValue)) to \(text(value.value))"
                }
            }
        if kind == .update, texts.isEmpty { return nil }
        return "\(kind) " + texts.sorted().joined(separator: ", ")
    }
}
