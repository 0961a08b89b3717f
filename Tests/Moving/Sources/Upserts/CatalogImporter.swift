import Foundation
import SwiftData

/// Inserts the records of a server without fetching existing ones.
public struct CatalogImporter {
    public struct Item: Decodable, Sendable {
        public var sku: String
        public var name: String
        public var price: Double
        public var maker: String?
        public var stars: [Int]?
    }

    private let context: ModelContext

    public init(container: ModelContainer) {
        context = ModelContext(container)
        context.author = "import"
    }

    public func `import`(_ json: Data) throws {
        for item in try JSONDecoder().decode([Item].self, from: json) {
            let product = Product(sku: item.sku, name: item.name, price: item.price)
            context.insert(product)
            if let maker = item.maker {
                product.maker = Maker(name: maker, country: "IT")
            }
            if let stars = item.stars {
                product.reviews = stars.map(Review.init)
            }
        }
        try context.save()
    }
}
