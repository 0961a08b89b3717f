import Chronicle
import Foundation

@Model
final class Trip {
    @Attribute(.preserveValueOnDeletion) var name: String
    var destination: String
    var note: String?

    init(name: String, destination: String) {
        self.name = name
        self.destination = destination
    }
}
