import Foundation
import SwiftData

// Declarations as they accumulate in an app: protocols, comments in unusual places, access, conditions, conformances.

protocol Timestamped: AnyObject {
    var createdAt: Date { get }
    var updatedAt: Date? { get set }
}

extension Timestamped {
    func touch() { updatedAt = createdAt }
}

protocol CatalogModel: PersistentModel {
    var code: String { get }
}

enum CatalogSchema {
    static let models: [any PersistentModel.Type] = [Product.self, Category.self, Keyword.self, Secret.self]

    /// A thing to sell.
    @Model  // not final
    class Product: Timestamped, CatalogModel, CustomStringConvertible {
        #Index<Product>([\.price], [\.name, \.price])
        #Unique<Product>([\.code], [\.name, \.edition])

        // MARK: - Stored

        /// The code, as printed.
        @Attribute(.unique) /// between
        // and more
        private(set) var code: String
        var name /* as shown */: String = "" { didSet { renames += 1 } }  // trailing
        fileprivate var renames = 0
        var edition = 1
        var price: Decimal = Decimal(string: "9.5")!
        var status = Status.draft
        var history: [Status] = [.draft]
        var sizes: [String: Double] = [:]
        var createdAt: Date = Date(timeIntervalSinceReferenceDate: 0)
        var updatedAt: Date?
        var `default`: Bool = false
        var isDeleted = false

        @Relationship(
            deleteRule: .nullify,  // the keywords stay
            inverse: \Keyword.product
        )
        var keywords: Set<Keyword> = []
        var category: Category?

        #if DEBUG
            static let isDebug = true
            func dump() -> String { "\(self)" }
        #endif

        // MARK: - Not stored

        @Transient var onChange: (() -> Void)?
        @Transient private lazy var words = name.split(separator: " ")
        var wordCount: Int { words.count }
        var description: String { "\(code) \(name)" }

        enum Status: String, Codable, CaseIterable, Comparable {
            case draft, onSale = "on sale", gone
            static func < (lhs: Status, rhs: Status) -> Bool { lhs.rawValue < rhs.rawValue }
        }

        init(code: String, name: String) {
            (self.code, self.name) = (code, name)
        }

        convenience init?(line: String) {
            let parts = line.split(separator: ";").map(String.init)
            guard parts.count == 2 else { return nil }
            self.init(code: parts[0], name: parts[1])
        }

        deinit { onChange?() }
    }
}

typealias Product = CatalogSchema.Product

extension Product: Comparable {
    static func < (lhs: CatalogSchema.Product, rhs: CatalogSchema.Product) -> Bool { lhs.code < rhs.code }
}

@Model
final class Category: Codable {
    @Attribute(.unique) var title: String
    @Relationship(deleteRule: .cascade, inverse: \Product.category) private(set) var products: [Product] = []

    private enum CodingKeys: String, CodingKey { case title = "t" }

    init(title: String) throws {
        guard !title.isEmpty else { throw CocoaError(.keyValueValidation) }
        self.title = title
    }

    required convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(title: container.decode(String.self, forKey: .title))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
    }

    func add(_ product: Product) { products.append(product) }
}

extension CatalogSchema {
    @Model
    final class Keyword: Hashable {
        var word: String
        var product: Product?

        init(word: String) { self.word = word }

        static func == (lhs: Keyword, rhs: Keyword) -> Bool { lhs.word == rhs.word }
        func hash(into hasher: inout Hasher) { hasher.combine(word) }
    }
}

@Model
private final class Secret: CatalogModel {
    var code: String = UUID().uuidString
    private var attempts: Int

    init(attempts: Int = 0) { self.attempts = attempts }
}

public enum Catalog {
    /// Fills a catalog and returns a description of its content.
    public static func lines() throws -> [String] {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Schema(CatalogSchema.models), configurations: configuration)
        let context = ModelContext(container)
        let category = try JSONDecoder().decode(Category.self, from: Data(#"{"t":"Maps"}"#.utf8))
        context.insert(category)
        for line in ["b;City map", "a;Road map of Italy", "no product"] {
            guard let product = Product(line: line) else { continue }
            product.keywords = [.init(word: "map"), .init(word: product.code)]
            product.status = .onSale
            product.touch()
            category.add(product)
        }
        context.insert(Secret())
        try context.save()

        let other = ModelContext(container)
        let products = try other.fetch(FetchDescriptor<Product>(predicate: #Predicate { !$0.isDeleted })).sorted()
        return products.map { "\($0) \($0.wordCount) \($0.status) \($0.keywords.map(\.word).sorted())" }
            + ["\(try other.fetch(FetchDescriptor<Category>()).map(\.title)) \(try codes(of: Secret.self, in: other))"]
    }

    private static func codes<Model: CatalogModel>(of type: Model.Type, in context: ModelContext) throws -> Int {
        try context.fetch(FetchDescriptor<Model>()).map(\.code.count).reduce(0, +)
    }
}
