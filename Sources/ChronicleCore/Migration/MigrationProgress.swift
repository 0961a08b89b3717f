/// The progress of a migration, which a store reports while it opens.
public struct MigrationProgress: Hashable, Sendable {
    /// A phase of a stage.
    public enum Phase: Hashable, Sendable, CaseIterable {
        /// The store runs the `willMigrate` closure of a custom stage. Stages without the closure omit this phase.
        case willMigrate
        /// The store changes its tables, and the values whose stored form changes.
        case changingSchema
        /// The store runs the `didMigrate` closure of a custom stage. Stages without the closure omit this phase.
        case didMigrate
        /// The store has committed the stage.
        case finished
    }

    /// The version at which the current stage begins.
    public let fromVersion: Schema.Version
    /// The version at which the current stage ends.
    public let toVersion: Schema.Version
    /// The number of the current stage, beginning with 1.
    public let stage: Int
    /// The number of stages between the version of the data when it was opened and the current version of the schema.
    public let stageCount: Int
    /// The phase that begins.
    public let phase: Phase

    /// Creates the progress of a migration. Use it in a custom store.
    ///
    /// - Parameters:
    ///   - current: The current stage.
    ///   - stage: The number of the current stage, beginning with 1.
    ///   - stageCount: The number of all stages.
    ///   - phase: The phase that begins.
    public init(_ current: MigrationStage, stage: Int, of stageCount: Int, phase: Phase) {
        fromVersion = current.fromVersion.versionIdentifier
        toVersion = current.toVersion.versionIdentifier
        self.stage = stage
        self.stageCount = stageCount
        self.phase = phase
    }

    /// The fraction of the stages that are finished, from 0 to 1.
    public var fractionCompleted: Double {
        Double(phase == .finished ? stage : stage - 1) / Double(max(stageCount, 1))
    }
}
