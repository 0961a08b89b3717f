import Foundation
import SwiftData

@Model
public final class Entry {
    public var text: String
    public var date: Date

    public init(text: String, date: Date) {
        self.text = text
        self.date = date
    }
}

@Model
public final class Template {
    public var title: String

    public init(title: String) { self.title = title }
}

/// The stores of an app: entries in two files, templates in another one.
public struct JournalContainer {
    public let container: ModelContainer

    public init(directory: URL) throws {
        let entries = Schema([Entry.self])
        let current = ModelConfiguration(
            "current", schema: entries, url: directory.appendingPathComponent("Current.store"), cloudKitDatabase: .none)
        let archive = ModelConfiguration(
            "archive", schema: entries, url: directory.appendingPathComponent("Archive.store"), cloudKitDatabase: .none)
        let templates = ModelConfiguration(
            "templates", schema: Schema([Template.self]), url: directory.appendingPathComponent("Templates.store"))
        container = try ModelContainer(
            for: Entry.self, Template.self, configurations: current, archive, templates)
    }

    /// Fills the archive with a separate container.
    public static func archive(_ entries: [Entry], in directory: URL) throws {
        let container = try ModelContainer(
            for: Entry.self,
            configurations: ModelConfiguration("archive", url: directory.appendingPathComponent("Archive.store")))
        let context = ModelContext(container)
        entries.forEach { context.insert($0) }
        try context.save()
    }

    public func latest(_ count: Int, skipping offset: Int = 0) throws -> [String] {
        var descriptor = FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.date, order: .reverse)])
        descriptor.fetchLimit = count
        descriptor.fetchOffset = offset
        return try ModelContext(container).fetch(descriptor).map(\.text)
    }
}
