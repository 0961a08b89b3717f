import ChronicleCore
import ChronicleSQLite

extension Schema.Property {
    /// The storage class of values that are not null. References are stored as primary keys.
    ///
    /// NaN is the exception: SQLite converts it to NULL, so it is stored as a blob.
    var storageClass: StorageClass {
        switch attribute?.storage {
        case .integer, nil: .integer
        case .real: .real
        case .text, .decimal, .json: .text
        case .blob: .blob
        }
    }
}
