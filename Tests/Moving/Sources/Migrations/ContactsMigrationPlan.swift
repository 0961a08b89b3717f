import Foundation
import SwiftData

public enum ContactsMigrationPlan: SchemaMigrationPlan {
    public static var schemas: [any VersionedSchema.Type] {
        [ContactsSchemaV1.self, ContactsSchemaV2.self, ContactsSchemaV3.self]
    }

    public static var stages: [MigrationStage] {
        [migrateV1toV2, migrateV2toV3]
    }

    static let migrateV1toV2 = MigrationStage.lightweight(
        fromVersion: ContactsSchemaV1.self, toVersion: ContactsSchemaV2.self)

    static let migrateV2toV3 = MigrationStage.custom(
        fromVersion: ContactsSchemaV2.self,
        toVersion: ContactsSchemaV3.self,
        willMigrate: { context in
            // The address becomes unique: of several contacts with one, the first remains.
            let contacts = try context.fetch(
                FetchDescriptor<ContactsSchemaV2.Contact>(sortBy: [SortDescriptor(\.fullName)]))
            var addresses: Set<String> = []
            for contact in contacts where !addresses.insert(contact.mail).inserted {
                context.delete(contact)
            }
            try context.save()
        },
        didMigrate: { context in
            for contact in try context.fetch(FetchDescriptor<ContactsSchemaV3.Contact>()) {
                let parts = contact.fullName.split(separator: " ", maxSplits: 1)
                contact.givenName = parts.first.map(String.init) ?? ""
                contact.familyName = parts.count == 2 ? String(parts[1]) : ""
            }
            try context.save()
        })
}
