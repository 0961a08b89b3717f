/// An error whose description contains no values of models, so that it can be logged.
///
/// The description of a ``SwiftDataError`` includes that of its ``SwiftDataError/underlying`` error if that error conforms to
/// this protocol, and only its type otherwise. Conform the errors of a custom store to it if their descriptions contain no
/// values.
public protocol LoggableError: Error, CustomStringConvertible {}
