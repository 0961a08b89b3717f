/// The storage class of a value, <https://www.sqlite.org/datatype3.html>.
package enum StorageClass: Sendable {
    case null, integer, real, text, blob
}
