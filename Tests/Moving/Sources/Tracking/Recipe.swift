import Foundation
import SwiftData

@Model
public final class Recipe {
    @Attribute(.unique, .preserveValueOnDeletion) public var remoteID: String
    @Attribute(.preserveValueOnDeletion) public var name: String
    public var portions: Int
    public var ingredients: [String] = []

    public init(remoteID: String, name: String, portions: Int = 2) {
        self.remoteID = remoteID
        self.name = name
        self.portions = portions
    }
}
