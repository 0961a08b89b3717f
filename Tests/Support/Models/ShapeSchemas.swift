package import Chronicle
import Foundation

/// Thirteen shapes of a schema, each with one change to the shape before. Programs of a series of development builds have
/// them, of which a migration plan contains only some.
package enum Shapes {
    package static let all: [any VersionedSchema.Type] = [
        Shape0.self, Shape1.self, Shape2.self, Shape3.self, Shape4.self, Shape5.self, Shape6.self, Shape7.self,
        Shape8.self, Shape9.self, Shape10.self, Shape11.self, Shape12.self,
    ]

    /// Returns the statements of another program that insert an item in a store of a shape, with a value of each property.
    package static func insert(_ name: String, inShape shape: Int) -> String {
        var values = [("name", "'\(name)'")]
        if (1..<8).contains(shape) { values.append(("count", "5")) }
        if shape >= 2 { values.append((shape < 5 ? "note" : "remark", "'\(name) note'")) }
        if shape >= 7 { values.append(("parent", "1")) }
        if shape >= 9 { values.append(("weight", "2.5")) }
        if shape >= 11 { values.append(("rating", "9")) }
        let item = """
            INSERT INTO "Item"(\(values.map { "\"\($0.0)\"" }.joined(separator: ", "))) \
            VALUES (\(values.map(\.1).joined(separator: ", ")));
            """
        guard shape >= 4 else { return item }
        let list = shape < 10 ? "labels" : "tags"
        let color = shape == 12 ? (", color", ", 'blue'") : ("", "")
        return item + """
             INSERT INTO "Label"(text\(color.0)) VALUES ('\(name) label'\(color.1));
            INSERT INTO "Item.\(list)"(owner, destination) SELECT "Item"._rowid_, "Label"._rowid_ FROM "Item", "Label"
            WHERE name = '\(name)' AND text = '\(name) label';
            """
    }

    /// Returns the item after it was migrated to the last shape.
    package static func expected(_ name: String, insertedInShape shape: Int) -> String {
        [
            name, shape >= 2 ? "\(name) note" : "none", shape >= 7 ? "child" : "", shape >= 9 ? "2.5" : "1.5",
            shape >= 11 ? "9" : "", shape >= 4 ? "\(name) label" : "", shape == 12 ? "blue" : shape >= 4 ? "red" : "",
        ].joined(separator: "|")
    }

    /// Returns the items of a store of the last shape, by name.
    package static func items(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<Shape12.Item>(sortBy: [SortDescriptor(\.name)])).map { item in
            [
                item.name, item.remark, item.parent == nil ? "" : "child", "\(item.weight)",
                item.rating.map { "\($0)" } ?? "", item.tags.first?.text ?? "", item.tags.first?.color ?? "",
            ].joined(separator: "|")
        }
    }
}

/// A plan with a lightweight stage.
package enum LightweightPlan<From: VersionedSchema, To: VersionedSchema>: SchemaMigrationPlan {
    package static var schemas: [any VersionedSchema.Type] { [From.self, To.self] }
    package static var stages: [MigrationStage] { [.lightweight(fromVersion: From.self, toVersion: To.self)] }
}

/// A plan with closures that change nothing.
package enum CustomPlan<From: VersionedSchema, Middle: VersionedSchema, To: VersionedSchema>: SchemaMigrationPlan {
    package static var schemas: [any VersionedSchema.Type] { [From.self, Middle.self, To.self] }
    package static var stages: [MigrationStage] {
        [
            .custom(fromVersion: From.self, toVersion: Middle.self, willMigrate: { _ in }, didMigrate: { _ in }),
            .custom(fromVersion: Middle.self, toVersion: To.self, willMigrate: { _ in }, didMigrate: { _ in }),
        ]
    }
}

package enum Shape0: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self] }

    @Model package final class Item {
        package var name: String
        package init(name: String) { self.name = name }
    }
}

package enum Shape1: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 1, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self] }

    @Model package final class Item {
        package var name: String
        package var count = 1
        package init(name: String) { self.name = name }
    }
}

package enum Shape2: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 2, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self] }

    @Model package final class Item {
        package var name: String
        package var count = 1
        package var note: String?
        package init(name: String) { self.name = name }
    }
}

package enum Shape3: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 3, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        package var count = 1
        package var note: String?
        package init(name: String) { self.name = name }
    }
}

package enum Shape4: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 4, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        package var count = 1
        package var note: String?
        @Relationship package var labels: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape5: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 5, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        package var count = 1
        @Attribute(originalName: "note") package var remark: String?
        @Relationship package var labels: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape6: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 6, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        package var count = 1
        @Attribute(originalName: "note") package var remark = "none"
        @Relationship package var labels: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape7: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 7, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        package var count = 1
        @Attribute(originalName: "note") package var remark = "none"
        package var parent: Item?
        @Relationship package var labels: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape8: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 8, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        @Attribute(originalName: "note") package var remark = "none"
        package var parent: Item?
        @Relationship package var labels: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape9: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 9, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        @Attribute(originalName: "note") package var remark = "none"
        package var parent: Item?
        package var weight = 1.5
        @Relationship package var labels: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape10: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 10, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        @Attribute(originalName: "note") package var remark = "none"
        package var parent: Item?
        package var weight = 1.5
        @Relationship(originalName: "labels") package var tags: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape11: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 11, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        @Attribute(originalName: "note") package var remark = "none"
        package var parent: Item?
        package var weight = 1.5
        package var rating: Int?
        @Relationship(originalName: "labels") package var tags: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package init(text: String) { self.text = text }
    }
}

package enum Shape12: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 12, 0) }
    package static var models: [any PersistentModel.Type] { [Item.self, Label.self] }

    @Model package final class Item {
        @Attribute(.unique) package var name: String
        @Attribute(originalName: "note") package var remark = "none"
        package var parent: Item?
        package var weight = 1.5
        package var rating: Int?
        @Relationship(originalName: "labels") package var tags: [Label] = []
        package init(name: String) { self.name = name }
    }
    @Model package final class Label {
        package var text: String
        package var color = "red"
        package init(text: String) { self.text = text }
    }
}
