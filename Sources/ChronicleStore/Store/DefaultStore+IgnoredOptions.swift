import ChronicleCore

extension DefaultStore {
    /// Logs options of the configuration and of attributes that have no effect, so that code for SwiftData that relies on
    /// them is found.
    func logIgnoredOptions() {
        if let database = configuration.cloudKitContainerIdentifier {
            log(
                .notice, event: "cloudKitUnavailable",
                "the store is not synchronized with the CloudKit database \(database), because Chronicle does not use iCloud",
                metadata: ["database": database])
        }
        let external = schema.entities.flatMap { entity in
            entity.properties.filter { $0.attribute?.options.contains(.externalStorage) == true }
                .map { "\(entity.name).\($0.name)" }
        }
        guard !external.isEmpty else { return }
        log(
            .notice, event: "externalStorageIgnored",
            "the values of attributes with the option externalStorage are stored in the database",
            metadata: ["attributes": external.joined(separator: ", ")])
    }
}
