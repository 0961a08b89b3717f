import Foundation
import SwiftData

public struct ContactBook {
    public let container: ModelContainer

    public init(url: URL) throws {
        container = try ModelContainer(
            for: Contact.self, migrationPlan: ContactsMigrationPlan.self,
            configurations: ModelConfiguration(url: url))
    }

    public init(inMemory: Bool) throws {
        let schema = Schema(versionedSchema: ContactsSchemaV3.self)
        let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: inMemory)
        container = try ModelContainer(
            for: schema, migrationPlan: ContactsMigrationPlan.self, configurations: [configuration])
    }

    public func contacts() throws -> [Contact] {
        try ModelContext(container).fetch(FetchDescriptor<Contact>(sortBy: [SortDescriptor(\.address)]))
    }
}
