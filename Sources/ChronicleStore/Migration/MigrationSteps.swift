import ChronicleCore

/// The changes between two descriptions of a file.
///
/// The numbers of models and properties in the history survive renames, so that a renamed column is not taken for a removed and
/// a new one.
struct MigrationSteps {
    private let before: FileDescription
    private let after: FileDescription
    private(set) var steps: [MigrationStep] = []

    /// Compares a file before and after an opening.
    ///
    /// - Parameters:
    ///   - before: The file before, or `nil` if it did not exist.
    ///   - after: The file after.
    ///   - stages: The stages that were run.
    static func steps(
        from before: FileDescription?, to after: FileDescription, stages: [MigrationStep]
    ) -> [MigrationStep] {
        guard let before else {
            return [MigrationStep(.createStore, detail: "creates the store")]
                + after.entities.map { MigrationStep(.addEntity, entityName: $0.name, detail: "adds the model") }
        }
        var steps = MigrationSteps(before: before, after: after)
        steps.compareFiles(stages)
        for entity in after.entities { steps.compare(entity) }
        return steps.steps
    }

    private init(before: FileDescription, after: FileDescription) {
        (self.before, self.after) = (before, after)
    }

    private mutating func add(
        _ kind: MigrationStep.Kind, _ entity: RecordedEntity? = nil, _ property: String? = nil, _ detail: String
    ) {
        steps.append(MigrationStep(kind, entityName: entity?.name, propertyName: property, detail: detail))
    }

    private mutating func compareFiles(_ stages: [MigrationStep]) {
        if before.format != after.format {
            add(.upgradeFormat, "upgrades the file from format \(before.format) to \(after.format)")
        }
        steps += stages
        if stages.isEmpty, before.version != after.version, let version = after.version {
            let earlier = before.version.map { "from \($0) " } ?? ""
            add(.setVersion, "changes the version of the schema \(earlier)to \(version)")
        }
    }

    private mutating func add(_ kind: MigrationStep.Kind, _ detail: String) { add(kind, nil, nil, detail) }

    private mutating func compare(_ entity: RecordedEntity) {
        guard let earlier = before.entities.first(where: { $0.number == entity.number }) else {
            return add(
                .addEntity, entity, nil,
                entity.isSubentity ? "adds the model to the table of \(entity.rootName)" : "adds the model")
        }
        if earlier.name != entity.name { add(.renameEntity, entity, nil, "renames the model \(earlier.name)") }
        compareProperties(entity, earlier)
        compareIndexes(entity, earlier)
        let triggers = before.triggers.filter { $0.table == earlier.name }
        if triggers != after.triggers.filter({ $0.table == entity.name }) {
            add(.changeRecording, entity, nil, "replaces the triggers that record changes")
        }
    }

    // MARK: Properties

    private mutating func compareProperties(_ entity: RecordedEntity, _ earlier: RecordedEntity) {
        guard let properties = after.properties[entity.name] else { return }
        // An entity without a description has no properties.
        guard let earlierProperties = before.properties[earlier.name] else { return }
        let names = Dictionary(earlierProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var continued: Set<String> = []
        for property in properties {
            let name = earlierName(of: property, entity, earlier, names)
            guard let name, let known = names[name] else {
                add(.addProperty, entity, property.name, "adds the \(property.summary)")
                continue
            }
            continued.insert(name)
            if name != property.name {
                add(.renameProperty, entity, property.name, "renames \(name) to \(property.name)")
            }
            if (known.isAttribute, known.type, known.isOptional)
                != (property.isAttribute, property.type, property.isOptional)
            {
                add(.changeProperty, entity, property.name, "changes the \(known.summary) to the \(property.summary)")
            }
        }
        for property in earlierProperties where !continued.contains(property.name) {
            add(.removeProperty, entity, property.name, "removes the \(property.summary)")
        }
    }

    /// Returns the name of a property before, or `nil` if it is new.
    private func earlierName(
        of property: FileDescription.Property, _ entity: RecordedEntity, _ earlier: RecordedEntity,
        _ names: [String: FileDescription.Property]
    ) -> String? {
        let numbers = entity.attributes.filter { $0.name == property.name }.map(\.number)
        if let known = earlier.attributes.last(where: { numbers.contains($0.number) && names[$0.name] != nil }) {
            return known.name
        }
        // A relationship that has neither a column nor a table has no number, and one that moves gets another number.
        if names[property.name] != nil { return property.name }
        return property.previousName.flatMap { names[$0] == nil ? nil : $0 }
    }

    // MARK: Indexes

    private mutating func compareIndexes(_ entity: RecordedEntity, _ earlier: RecordedEntity) {
        let (old, new) = (
            before.indexes.filter { $0.table == earlier.name }, after.indexes.filter { $0.table == entity.name }
        )
        for index in old.subtracting(new).sorted(by: { $0.name < $1.name }) {
            add(.removeIndex, entity, nil, "deletes the index \(index.name)")
        }
        for index in new.subtracting(old).sorted(by: { $0.name < $1.name }) {
            add(.addIndex, entity, nil, "creates the index \(index.name)")
        }
    }
}
