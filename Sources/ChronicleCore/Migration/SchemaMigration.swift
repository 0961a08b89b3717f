/// A validated migration plan, with the version of a store's schema as its target. Stores use it to find the stages that
/// they have to run.
///
/// ```swift
/// if let migrationPlan {
///     let migration = try SchemaMigration(migrationPlan, to: schema)
///     for stage in try migration.stages(from: versionOfTheData) { … }
/// }
/// ```
public struct SchemaMigration: Sendable {
    /// The version that the store's schema represents.
    public let target: Schema.Version
    /// The versions of the plan and of its stages, in ascending order.
    public let versions: [any VersionedSchema.Type]
    /// The stages by the version at which they begin.
    private let stagesByVersion: [Schema.Version: MigrationStage]

    /// Validates a plan.
    ///
    /// - Parameters:
    ///   - plan: The migration plan of the container.
    ///   - schema: The schema of the store. If it was created without a version, its version is the latest version of
    ///     the plan that contains all its model classes.
    /// - Throws: ``SwiftDataError/invalidMigrationPlan`` if the plan has no version of the schema, if two versions have
    ///   the same identifier, or if the stages do not connect. Correct the plan as the detail describes.
    /// - Complexity: Proportional to the number of versions and stages, and to the size of the schema.
    public init(_ plan: any SchemaMigrationPlan.Type, to schema: Schema) throws {
        do {
            let stages = plan.stages
            let versions = Self.versions(plan.schemas, stages)
            try Self.requireUnique(versions.map { $0.versionIdentifier })
            stagesByVersion = try Self.stagesByVersion(stages)
            target = try Self.target(versions, listed: plan.schemas, schema)
            self.versions = versions
        } catch let error as SwiftDataError where error == .invalidMigrationPlan {
            throw error.with(detail: "\(plan): \(error.detail ?? "")")
        }
    }

    private static func invalid(_ detail: String) -> SwiftDataError { .invalidMigrationPlan.with(detail: detail) }

    /// Returns the versions of a plan, and those of its stages that the plan does not list.
    private static func versions(
        _ schemas: [any VersionedSchema.Type], _ stages: [MigrationStage]
    ) -> [any VersionedSchema.Type] {
        var versions = schemas
        for version in stages.flatMap({ [$0.fromVersion, $0.toVersion] })
        where !versions.contains(where: { $0.versionIdentifier == version.versionIdentifier }) {
            versions.append(version)
        }
        return versions.sorted { $0.versionIdentifier < $1.versionIdentifier }
    }

    private static func requireUnique(_ identifiers: [Schema.Version]) throws {
        for (identifier, next) in zip(identifiers, identifiers.dropFirst()) where identifier == next {
            throw invalid("two schemas have the version \(identifier); give each its own version identifier")
        }
    }

    private static func stagesByVersion(_ stages: [MigrationStage]) throws -> [Schema.Version: MigrationStage] {
        var stagesByVersion: [Schema.Version: MigrationStage] = [:]
        for stage in stages {
            let from = stage.fromVersion.versionIdentifier
            let to = stage.toVersion.versionIdentifier
            guard from != to else { throw invalid("a stage migrates version \(from) to itself; remove it") }
            // Code can go back to an earlier version deliberately.
            guard from < to || stage.isCustom else {
                throw invalid(
                    "a lightweight stage migrates from version \(from) back to \(to); exchange them or make it a custom stage"
                )
            }
            guard stagesByVersion.updateValue(stage, forKey: from) == nil else {
                throw invalid("two stages begin at version \(from); remove one of them")
            }
        }
        let ordered = stagesByVersion.filter { $0.key < $0.value.toVersion.versionIdentifier }.sorted {
            $0.key < $1.key
        }
        for (stage, next) in zip(ordered, ordered.dropFirst()) {
            let end = stage.value.toVersion.versionIdentifier
            guard end == next.key else {
                throw invalid("the stages do not connect: one ends at version \(end), the next begins at \(next.key)")
            }
        }
        return stagesByVersion
    }

    /// - Parameter listed: The versions in `schemas`. They take precedence over versions that only stages contain, from which
    ///   a program may migrate back.
    private static func target(
        _ versions: [any VersionedSchema.Type], listed: [any VersionedSchema.Type], _ schema: Schema
    ) throws -> Schema.Version {
        if let declared = schema.declaredVersion {
            guard versions.contains(where: { $0.versionIdentifier == declared }) else {
                throw invalid("version \(declared) of the container's schema is missing; add it to `schemas`")
            }
            return declared
        }
        let identifiers = Set(listed.map { $0.versionIdentifier })
        let latest = versions.reversed()
        for version in latest.filter({ identifiers.contains($0.versionIdentifier) }) + latest {
            let known = Schema(versionedSchema: version)
            try known.validate()
            if schema.entities.allSatisfy({ known.entity(for: $0.type) != nil }) { return version.versionIdentifier }
        }
        throw invalid("no version has all model classes of the container's schema; add the version to `schemas`")
    }

    /// Returns the stages that migrate data to the ``target``, in their order.
    ///
    /// - Parameter version: The version of the data.
    /// - Returns: The stages; an empty array if the data has the version of the target.
    /// - Throws: One of the following errors.
    ///   - ``SwiftDataError/newerSchemaVersion`` if the data has a later version than the target, and no custom stages migrate
    ///     it back to the target. Update the program.
    ///   - ``SwiftDataError/unknownSchemaVersion`` if the plan does not have the version of the data. Add it to the plan.
    ///   - ``SwiftDataError/missingMigrationStage`` if the stages of the plan do not migrate from this version to the
    ///     target. Add the missing stage.
    public func stages(from version: Schema.Version) throws -> [MigrationStage] {
        var stages: [MigrationStage] = []
        var reached = version
        // Stages that migrate back can form a cycle.
        while reached != target, stages.count < stagesByVersion.count, let stage = stagesByVersion[reached] {
            stages.append(stage)
            reached = stage.toVersion.versionIdentifier
        }
        if reached == target { return stages }
        guard version <= target else {
            throw SwiftDataError.newerSchemaVersion.with(
                detail: "the store has version \(version) of its schema, but this program supports versions up to "
                    + "\(target); update the program")
        }
        guard versions.contains(where: { $0.versionIdentifier == version }) else {
            throw SwiftDataError.unknownSchemaVersion.with(
                detail: "the store has version \(version) of its schema, which the migration plan does not contain; "
                    + "add it to `schemas`")
        }
        throw SwiftDataError.missingMigrationStage.with(
            detail:
                "the migration plan has no stages from version \(version) to version \(target); add them to `stages`")
    }

    /// Returns the version of data that has no version identifier, because a program without versions wrote it.
    ///
    /// The version is the one that has the most entities of the data, none of which differs, and the fewest other
    /// entities. If several versions are equal in this respect, it is the earliest one, because no stage has run for such
    /// data.
    ///
    /// - Parameter isMatch: A closure that returns whether an entity of a version is the same in the data, for example by
    ///   ``Schema/Entity/versionHash``, or `nil` if the data has no entity of this name.
    /// - Returns: The identifier of the version.
    /// - Throws: ``SwiftDataError/unknownSchemaVersion`` if no version matches: add a version to the plan, with the
    ///   classes as they were when the data was written. Also the errors of ``Schema/validate()`` and of `isMatch`.
    public func version(where isMatch: (Schema.Entity) throws -> Bool?) throws -> Schema.Version {
        var best: (version: Schema.Version, score: (matches: Int, others: Int))?
        for version in versions {
            let schema = Schema(versionedSchema: version)
            try schema.validate()
            let results = try schema.entities.map(isMatch)
            let score = (matches: results.count { $0 == true }, others: -results.count { $0 == nil })
            guard !results.contains(false), score.matches > 0, best.map({ $0.score < score }) ?? true else { continue }
            best = (version.versionIdentifier, score)
        }
        if let best { return best.version }
        throw SwiftDataError.unknownSchemaVersion.with(
            detail: "the store has no version of its schema, and its models differ from those of each version in the "
                + "migration plan; add a version with the models that the store was written with")
    }
}
