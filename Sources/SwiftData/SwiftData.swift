@_exported public import Chronicle
@_exported public import Foundation
