/// A version of a schema: its identifier and its model classes.
///
/// Nest the classes of each version in the type that represents it, so that the versions can use the same class names:
///
/// ```swift
/// enum TripsSchemaV1: VersionedSchema {
///     static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
///     static var models: [any PersistentModel.Type] { [Trip.self] }
///
///     @Model
///     final class Trip { … }
/// }
/// ```
///
/// Pass the versions to a container in a ``SchemaMigrationPlan``, or create the schema of a single version with
/// ``Schema/init(versionedSchema:)``.
public protocol VersionedSchema: SendableMetatype {
    /// The model classes of the version. Classes that they are related to are added automatically.
    static var models: [any PersistentModel.Type] { get }
    /// The identifier of the version. Later versions must have greater identifiers.
    static var versionIdentifier: Schema.Version { get }
}

extension Schema {
    /// Creates a schema with the models and the identifier of a version.
    ///
    /// If a declaration is invalid, the schema is empty and ``validate()`` throws the error.
    ///
    /// - Parameter versionedSchema: The version.
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    /// The version of the schema: the ``declaredVersion``, or 1.0.0 if none was declared.
    public var version: Version { declaredVersion ?? Version(1, 0, 0) }
}
