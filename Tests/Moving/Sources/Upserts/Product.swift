import Foundation
import SwiftData

@Model
public final class Product {
    @Attribute(.unique) public var sku: String
    public var name: String
    public var price: Double
    public var maker: Maker?
    @Relationship(deleteRule: .cascade, inverse: \Review.product) public var reviews: [Review] = []

    public init(sku: String, name: String, price: Double) {
        self.sku = sku
        self.name = name
        self.price = price
    }
}

@Model
public final class Maker {
    #Unique<Maker>([\.name, \.country])

    public var name: String
    public var country: String
    @Relationship(inverse: \Product.maker) public var products: [Product] = []

    public init(name: String, country: String) {
        self.name = name
        self.country = country
    }
}

@Model
public final class Review {
    public var stars: Int
    public var product: Product?

    public init(stars: Int) { self.stars = stars }
}
