/// A part of a ``SchemaMigrationPlan``: the migration from one version of a schema to the next.
///
/// The default store runs each stage in one transaction. If the process ends at any time, the file has the version
/// before or after a stage, and the next opening continues there.
public enum MigrationStage: @unchecked Sendable {
    // Reason for `@unchecked Sendable`: as in SwiftData, the closures may capture anything. A store runs them one at a time, on
    // the thread that opens it.

    /// A stage whose changes the store can derive from the two versions.
    ///
    /// The default store supports added, removed and renamed properties and entities, changed indexes and uniqueness
    /// constraints, optional attributes that become required and have a default value, and to-one relationships that
    /// become to-many or the reverse.
    ///
    /// - Parameters:
    ///   - fromVersion: The version at which the stage begins.
    ///   - toVersion: The version at which the stage ends.
    case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)

    /// A stage with code that runs before and after the changes that the store derives from the two versions.
    ///
    /// A custom stage can migrate to a version with a lower identifier, for programs that return to an earlier version of
    /// the models. The properties that this version does not declare are removed.
    ///
    /// The contexts belong to the transaction of the stage. Their unsaved changes are saved when the closure returns.
    /// If a closure throws an error, the whole stage is rolled back, and opening the store throws the error. Do not use
    /// the contexts and their models after the closure returned.
    ///
    /// The closures run on the thread that creates the container. If several threads use the same stage, what the closures
    /// capture must be safe to use from all of them.
    ///
    /// - Parameters:
    ///   - fromVersion: The version at which the stage begins.
    ///   - toVersion: The version at which the stage ends.
    ///   - willMigrate: A closure that receives a context with the classes of `fromVersion`, before the changes. Use it
    ///     to make the models meet the requirements of `toVersion`, for example to remove duplicates.
    ///   - didMigrate: A closure that receives a context with the classes of `toVersion`, after the changes. Use it to
    ///     set the values of new properties.
    case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)

    /// Not a stage. The case permits a `default` in a `switch` over the other cases, as in code for SwiftData, without a
    /// warning; a `switch` without `default` need not contain it.
    @available(*, unavailable)
    case unknown

    /// The ``ModelContext/author`` of the transactions that a migration writes, in the history.
    ///
    /// The closures of a stage can set another author.
    public static let author = "Chronicle.migration"

    /// The version at which the stage begins.
    public var fromVersion: any VersionedSchema.Type {
        switch self {
        case .lightweight(let version, _), .custom(let version, _, _, _): version
        }
    }

    /// The version at which the stage ends.
    public var toVersion: any VersionedSchema.Type {
        switch self {
        case .lightweight(_, let version), .custom(_, let version, _, _): version
        }
    }
}

// For stores that run stages.
extension MigrationStage {
    var isCustom: Bool { if case .custom = self { true } else { false } }

    /// A Boolean value that indicates whether ``willMigrate(_:)`` runs code.
    public var hasWillMigrate: Bool {
        if case .custom(_, _, .some, _) = self { true } else { false }
    }

    /// A Boolean value that indicates whether ``didMigrate(_:)`` runs code.
    public var hasDidMigrate: Bool {
        if case .custom(_, _, _, .some) = self { true } else { false }
    }

    /// Runs the `willMigrate` closure of a custom stage, if there is one, and saves the changes that it leaves unsaved.
    ///
    /// Call the method in the transaction of the stage, before the changes. The closure receives a context whose author
    /// is ``author``.
    ///
    /// - Parameter store: A store whose schema consists of the classes of ``fromVersion``.
    /// - Throws: The errors of the closure and of ``ModelContext/save()``, such as
    ///   ``SwiftDataError/uniquenessViolation``. Roll back the transaction and rethrow the error.
    public func willMigrate(_ store: any DataStore) throws {
        if case .custom(_, _, let body?, _) = self { try run(body, in: store) }
    }

    /// Runs the `didMigrate` closure of a custom stage, if there is one, and saves the changes that it leaves unsaved.
    ///
    /// Call the method in the transaction of the stage, after the changes. The closure receives a context whose author
    /// is ``author``.
    ///
    /// - Parameter store: A store whose schema consists of the classes of ``toVersion``.
    /// - Throws: The errors of the closure and of ``ModelContext/save()``, such as
    ///   ``SwiftDataError/uniquenessViolation``. Roll back the transaction and rethrow the error.
    public func didMigrate(_ store: any DataStore) throws {
        if case .custom(_, _, _, let body?) = self { try run(body, in: store) }
    }

    private func run(_ body: (ModelContext) throws -> Void, in store: any DataStore) throws {
        let context = ModelContext(StoreCoordinator(store))
        context.author = Self.author
        try body(context)
        // Without changes, this throws the error of a model that could not be inserted.
        try context.save()
    }
}
