package import ChronicleCore
import ChronicleSQL

extension SchemaPlan {
    /// The circumstances of an opening.
    package struct Opening: Sendable {
        /// The schemas of the programs that use the store.
        package let schemas: KnownSchemas
        /// The stage of a migration plan that changes the schema, or `nil` if none does. A stage permits changes that could
        /// be a mistake otherwise.
        package let stage: Stage?

        package enum Stage: Sendable { case lightweight, custom }

        /// The version from which a stage migrates, or `nil` at the end of the last stage and without a plan. Properties that
        /// it does not declare remain, because the last version may declare them: a program whose schema is not in the
        /// plan added them.
        package let baseline: Schema?

        package init(schemas: KnownSchemas, stage: Stage?, baseline: Schema?) {
            (self.schemas, self.stage, self.baseline) = (schemas, stage, baseline)
        }

        /// Returns whether a property that a class does not declare was added by a program whose schema is not in the plan.
        func isUnplanned(_ property: StoredProperty, of entity: Schema.Entity) -> Bool {
            guard let baseline else { return false }
            let earlier = baseline.entitiesByName[entity.originalName] ?? baseline.entitiesByName[entity.name]
            return earlier?.propertiesByName[property.name] == nil
        }

        /// Whether the store was opened with the same schema before. Such a program is not a new version: it continues to
        /// use its properties, and does not remove those of other versions.
        package var isKnown: Bool { schemas.isKnown }

        /// Whether a name that a later version replaced is an error. A migration plan may return to the version with that name.
        var requiresOwnNames: Bool { isKnown && stage == nil && baseline == nil }

        /// Whether a new schema must have the names that other programs gave to what the previous one of its program declared.
        var requiresRenames: Bool { !isKnown && stage == nil && baseline == nil }

        /// Returns whether a later version gave a class or a property of a known schema another name than the original one. What
        /// has the original name now is not what the schema renames.
        ///
        /// - Parameter name: The name in the schema: of a class, or of a class and a property, such as `Trip.name`.
        func hasLaterName(than originalName: String, for name: String) -> Bool {
            isKnown && schemas.renames?[name].map { $0 != originalName } ?? false
        }
    }
}
