import Foundation
import SwiftData

@Model
public final class Counter {
    @Attribute(.unique) public var name: String
    public var value = 0

    public init(name: String) { self.name = name }
}
